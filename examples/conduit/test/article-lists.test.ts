import { expect } from 'chai';
import { anArticle, bodyOf, type Client, startedAt, useConduit } from './support/conduit.js';

describe('a list of articles', () => {
  const conduit = useConduit();
  let ada: Client;
  let grace: Client;
  beforeEach(async () => {
    ada = await conduit.createUser('ada');
    grace = await conduit.createUser('grace');
    for (const [author, title, tagList] of [
      [ada, 'One', ['food']],
      [grace, 'Two', ['food', 'garden']],
      [ada, 'Three', ['garden']],
      [ada, 'Four', []],
    ] as const)
      await author.publish({ title, tagList });
    await grace.post('/articles/one/favorite').expect(200);
    await grace.post('/articles/two/favorite').expect(200);
  });

  /** The slugs of the page, and the number of articles in all pages. */
  const list = async (path: string, client = conduit.anonymous) => {
    const { articles, articlesCount } = await bodyOf(client.get(path).expect(200));
    return [...articles.map(({ slug }) => slug), articlesCount];
  };

  describe('listArticles', () => {
    it('returns all articles, the newest first, without their texts', async () => {
      expect(await list('/articles')).to.deep.equal(['four', 'three', 'two', 'one', 4]);
      const page = await bodyOf(grace.get('/articles?limit=1&offset=2').expect(200));
      const { body: _text, ...summary } = anArticle;
      const article = {
        ...summary,
        slug: 'two',
        title: 'Two',
        tagList: ['food', 'garden'],
        createdAt: startedAt,
        updatedAt: startedAt,
        favorited: true,
        favoritesCount: 1,
        author: { username: 'grace', bio: null, image: null, following: false },
      };
      expect(page).to.deep.equal({ articles: [article], articlesCount: 4 });
    });

    for (const [query, ...expected] of [
      ['tag=food', 'two', 'one', 2],
      ['tag=none', 0],
      ['author=ada', 'four', 'three', 'one', 3],
      ['author=none', 0],
      ['favorited=grace', 'two', 'one', 2],
      ['favorited=ada', 0],
      ['tag=food&author=ada', 'one', 1],
      ['tag=garden&author=ada&favorited=grace', 0],
      ['tag=food&author=ada&favorited=grace', 'one', 1],
      ['limit=2', 'four', 'three', 4],
      ['limit=2&offset=2', 'two', 'one', 4],
      ['author=ada&limit=1&offset=1', 'three', 3],
      ['offset=9007199254740991', 4],
      ['tag=', 0],
    ] as const)
      it(`with ?${query} returns ${expected.join(', ')}`, async () => {
        expect(await list(`/articles?${query}`)).to.deep.equal(expected);
      });

    it('returns 20 articles by default', async () => {
      for (let number = 0; number < 20; number += 1) await ada.publish();
      const page = await list('/articles');
      expect([page.length - 1, page.at(-1)]).to.deep.equal([20, 24]);
    });

    it('returns 422 for an invalid limit or offset, and an unknown parameter', async () => {
      await ada.get('/articles?limit=0&offset=-1').expect(422, {
        errors: {
          limit: ['must be an integer from 1 to 100'],
          offset: ['must be an integer, at least 0'],
        },
      });
      const { errors } = await bodyOf(ada.get('/articles?followerId=x').expect(422));
      expect(errors['followerId']?.[0]).to.match(/^Unknown query parameter/);
    });
  });

  describe('getFeed', () => {
    it('returns the articles of the users whom the caller follows, the newest first', async () => {
      expect(await list('/articles/feed', grace)).to.deep.equal([0]);
      await grace.post('/profiles/ada/follow').expect(200);
      expect(await list('/articles/feed', grace)).to.deep.equal(['four', 'three', 'one', 3]);
      expect(await list('/articles/feed?limit=1&offset=1', grace)).to.deep.equal(['three', 3]);
      const { articles } = await bodyOf(grace.get('/articles/feed?limit=1').expect(200));
      expect(articles[0]?.author.following).to.equal(true);
      await grace.delete('/profiles/ada/follow').expect(200);
      expect(await list('/articles/feed', grace)).to.deep.equal([0]);
    });

    it('returns 401 without a token, and 422 for an invalid limit', async () => {
      await conduit.anonymous.get('/articles/feed').expect(401, { errors: { token: ['is missing'] } });
      await grace
        .get('/articles/feed?limit=x')
        .expect(422, { errors: { limit: ['must be an integer from 1 to 100'] } });
    });
  });

  describe('listTags', () => {
    it('returns the tags of all articles, the most frequent first', async () => {
      await ada.publish({ tagList: ['garden', 'art'] });
      await conduit.anonymous.get('/tags').expect(200, { tags: ['garden', 'food', 'art'] });
    });
  });
});
