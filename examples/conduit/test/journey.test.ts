import { expect } from 'chai';
import { bodyOf, type Client, useConduit } from './support/conduit.js';

describe('Conduit', () => {
  const conduit = useConduit();

  /** Registers by a request, and logs in. */
  const register = async (username: string): Promise<Client> => {
    const account = { email: `${username}@example.com`, password: 'correct horse' };
    await conduit.anonymous.post('/users', { user: { username, ...account } }).expect(201);
    const login = conduit.anonymous.post('/users/login', { user: account }).expect(200);
    return conduit.clientOf(username, (await bodyOf(login)).user.token);
  };

  it('lets people publish, find, follow, mark and discuss articles, from registering to deleting', async () => {
    const jake = await register('jake');
    const reader = await register('reader');
    await jake.put('/user', { user: { bio: 'I train dragons.', image: 'https://example.com/jake.png' } }).expect(200);

    const article = { title: 'How to train your dragon', description: 'Ever wonder how?', body: 'Very carefully.' };
    const created = jake.post('/articles', { article: { ...article, tagList: ['training', 'dragons'] } }).expect(201);
    const { slug } = (await bodyOf(created)).article;

    await reader.get('/articles/feed').expect(200, { articles: [], articlesCount: 0 });
    await reader.post('/profiles/jake/follow').expect(200);
    const feed = await bodyOf(reader.get('/articles/feed').expect(200));
    expect(feed.articles.map((each) => each.slug)).to.deep.equal([slug]);
    expect(feed.articles[0]?.author).to.deep.equal({
      username: 'jake',
      bio: 'I train dragons.',
      image: 'https://example.com/jake.png',
      following: true,
    });

    await reader.post(`/articles/${slug}/favorite`).expect(200);
    const favorites = await bodyOf(conduit.anonymous.get('/articles?favorited=reader&tag=dragons').expect(200));
    expect(favorites.articles[0]?.favoritesCount).to.equal(1);

    const comment = { body: 'Thank you so much!' };
    const commented = reader.post(`/articles/${slug}/comments`, { comment }).expect(201);
    const { id } = (await bodyOf(commented)).comment;
    await jake.delete(`/articles/${slug}/comments/${String(id)}`).expect(403);
    const { comments } = await bodyOf(jake.get(`/articles/${slug}/comments`).expect(200));
    expect(comments.map(({ body }) => body)).to.deep.equal([comment.body]);
    await reader.delete(`/articles/${slug}/comments/${String(id)}`).expect(204);

    const renamed = jake.put(`/articles/${slug}`, { article: { title: 'Did you train your dragon?' } }).expect(200);
    const { slug: newSlug } = (await bodyOf(renamed)).article;
    expect(newSlug).to.equal('did-you-train-your-dragon');
    await reader.delete(`/articles/${newSlug}/favorite`).expect(200);
    await reader.delete(`/articles/${newSlug}`).expect(403);
    await jake.delete(`/articles/${newSlug}`).expect(204);
    await reader.get('/articles/feed').expect(200, { articles: [], articlesCount: 0 });
    await conduit.anonymous.get('/tags').expect(200, { tags: [] });
  });
});
