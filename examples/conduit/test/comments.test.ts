import { expect } from 'chai';
import { bodyOf, type Client, startedAt, useConduit } from './support/conduit.js';

const path = '/articles/tomatoes/comments';
const missing = { errors: { token: ['is missing'] } };
const noArticle = { errors: { article: ['not found'] } };
const noComment = { errors: { comment: ['not found'] } };

describe('comments', () => {
  const conduit = useConduit();
  let ada: Client;
  let grace: Client;
  beforeEach(async () => {
    ada = await conduit.createUser('ada');
    grace = await conduit.createUser('grace');
    await ada.publish();
  });
  const profile = { bio: null, image: null, following: false };
  const comment = (id: number, body: string, author: object) => ({
    ...{ id, body, createdAt: startedAt, updatedAt: startedAt },
    author: { ...profile, ...author },
  });
  const first = comment(1, 'First!', { username: 'grace' });
  const second = comment(2, 'Thank you.', { username: 'ada' });
  const write = (client: Client, body: string) => client.post(path, { comment: { body } });

  it('createComment returns 201, and listComments returns 200 for anyone, the newest first', async () => {
    await write(grace, 'First!').expect(201, { comment: first });
    await write(ada, 'Thank you.').expect(201, { comment: second });
    await conduit.anonymous.get(path).expect(200, { comments: [second, first] });
    await ada.post('/profiles/grace/follow').expect(200);
    const followed = comment(1, 'First!', { username: 'grace', following: true });
    await ada.get(path).expect(200, { comments: [second, followed] });
  });

  it('createComment returns 401 without a token, 404 for an unknown article, and 422 for an empty text', async () => {
    await write(conduit.anonymous, 'First!').expect(401, missing);
    await ada.post('/articles/unknown/comments', { comment: { body: 'First!' } }).expect(404, noArticle);
    await write(ada, '').expect(422, { errors: { body: ["can't be blank"] } });
    await ada.get(path).expect(200, { comments: [] });
  });

  it('listComments returns 404 for an unknown article', async () => {
    await ada.get('/articles/unknown/comments').expect(404, noArticle);
  });

  it('deleteComment returns 204, and leaves the other comments', async () => {
    await write(grace, 'First!').expect(201);
    await write(ada, 'Thank you.').expect(201);
    await grace.delete(`${path}/1`).expect(204, '');
    await ada.get(path).expect(200, { comments: [second] });
    await grace.delete(`${path}/1`).expect(404, noComment);
  });

  it('deleteComment returns 401 without a token, and 403 for a comment of another user', async () => {
    await write(grace, 'First!').expect(201);
    await conduit.anonymous.delete(`${path}/1`).expect(401, missing);
    await ada.delete(`${path}/1`).expect(403, { errors: { comment: ['forbidden'] } });
    await ada.get(path).expect(200, { comments: [first] });
  });

  it('deleteComment returns 404 for an unknown article or comment, or one of another article', async () => {
    await grace.publish({ title: 'Bread' });
    await write(grace, 'First!').expect(201);
    await grace.delete('/articles/unknown/comments/1').expect(404, noArticle);
    await grace.delete('/articles/bread/comments/1').expect(404, noComment);
    await grace.delete(`${path}/9`).expect(404, noComment);
  });

  it('deleteComment returns 422 for an id that is not an integer', async () => {
    const { errors } = await bodyOf(grace.delete(`${path}/first`).expect(422));
    expect(errors['id']?.[0]).to.match(/^must be an integer/);
  });
});
