import { expect } from 'chai';
import { anArticle, bodyOf, type Client, startedAt, useConduit } from './support/conduit.js';

const missing = { errors: { token: ['is missing'] } };
const notFound = { errors: { article: ['not found'] } };
const forbidden = { errors: { article: ['forbidden'] } };

/** The article as its author sees it. */
const published = {
  slug: 'tomatoes',
  ...anArticle,
  tagList: [] as readonly string[],
  createdAt: startedAt,
  updatedAt: startedAt,
  favorited: false,
  favoritesCount: 0,
  author: { username: 'ada', bio: null, image: null, following: false },
};

describe('an article', () => {
  const conduit = useConduit();
  let ada: Client;
  beforeEach(async () => (ada = await conduit.createUser('ada')));
  const create = (article: object) => ada.post('/articles', { article });
  const slugs = async (...titles: readonly string[]) => {
    const articles = [];
    for (const title of titles) articles.push(await ada.publish({ title }));
    return articles.map(({ slug }) => slug);
  };

  describe('createArticle', () => {
    it('returns 201 with the article, its tags once and in alphabetical order', async () => {
      const tagList = ['garden', 'food', 'garden'];
      await create({ ...anArticle, tagList }).expect(201, { article: { ...published, tagList: ['food', 'garden'] } });
    });

    it('gives each article a slug of its own, which is not that of the feed', async () => {
      const [first, second, feed] = await slugs('Dup Title', 'dup title!', 'Feed');
      expect(first).to.equal('dup-title');
      expect(second).to.match(/^dup-title-[0-9a-f]{6}$/);
      expect(feed).to.match(/^feed-[0-9a-f]{6}$/);
      await ada.get(`/articles/${String(feed)}`).expect(200);
    });

    it('returns 401 without a token', async () => {
      await conduit.anonymous.post('/articles', { article: anArticle }).expect(401, missing);
    });

    it('returns 422 for fields that are missing, blank, too long or of another type', async () => {
      for (const name of ['title', 'description', 'body'])
        for (const value of ['', ' ', undefined])
          await create({ ...anArticle, [name]: value }).expect(422, { errors: { [name]: ["can't be blank"] } });
      const tooLong = { errors: { title: ['must have at most 200 characters'] } };
      await create({ ...anArticle, title: 'x'.repeat(201) }).expect(422, tooLong);
      const noArray = { errors: { tagList: ['must be a JSON array'] } };
      await create({ ...anArticle, tagList: null }).expect(422, noArray);
      await create({ ...anArticle, tagList: ['food', ''] }).expect(422, { errors: { tagList: ["can't be blank"] } });
    });

    it('accepts a text of up to a megabyte', async () => {
      await create({ ...anArticle, body: 'x'.repeat(900_000) }).expect(201);
      const { errors } = await bodyOf(create({ ...anArticle, body: 'x'.repeat(1_100_000) }).expect(413));
      expect(errors).to.have.all.keys('body_too_large');
    });
  });

  describe('getArticle', () => {
    it('returns 200 for anyone, and what it is to the caller', async () => {
      const grace = await conduit.createUser('grace');
      await ada.publish();
      await grace.post('/profiles/ada/follow').expect(200);
      await grace.post('/articles/tomatoes/favorite').expect(200);
      const author = { ...published.author, following: true };
      const article = { ...published, favoritesCount: 1 };
      await conduit.anonymous.get('/articles/tomatoes').expect(200, { article });
      await grace.get('/articles/tomatoes').expect(200, { article: { ...article, favorited: true, author } });
    });

    it('returns 404 for an unknown slug', async () => {
      await conduit.anonymous.get('/articles/unknown').expect(404, notFound);
    });

    it('finds a slug with letters of any language', async () => {
      const [slug] = await slugs('Über Gärten: 庭');
      expect(slug).to.equal('über-gärten-庭');
      await conduit.anonymous.get(`/articles/${encodeURIComponent(String(slug))}`).expect(200);
    });
  });

  describe('updateArticle', () => {
    const update = (article: object, client = ada) => client.put('/articles/tomatoes', { article });
    const tagList = ['food', 'garden'];
    beforeEach(async () => {
      await ada.publish({ tagList });
      conduit.service.clock.now += 1000;
    });
    const updatedAt = startedAt.replace('00.000', '01.000');

    it('returns 200, and changes the fields that are sent', async () => {
      const body = 'Sow in April.';
      const article = { ...published, tagList, updatedAt, body };
      await update({ body }).expect(200, { article });
      await ada.get('/articles/tomatoes').expect(200, { article });
    });

    it('changes the slug with the title, but not if the words stay the same', async () => {
      const same = await bodyOf(update({ title: 'Tomatoes!' }).expect(200));
      const other = await bodyOf(update({ title: 'Green tomatoes' }).expect(200));
      expect([same.article.slug, other.article.slug]).to.deep.equal(['tomatoes', 'green-tomatoes']);
      await ada.get('/articles/tomatoes').expect(404);
      await ada.get('/articles/green-tomatoes').expect(200);
    });

    it('replaces all tags, leaves them if they are absent, and returns 422 for null', async () => {
      const tagsOf = async (article: object) => {
        const { article: updated } = await bodyOf(update(article).expect(200));
        return updated.tagList;
      };
      expect(await tagsOf({ body: 'Sow in April.' })).to.deep.equal(tagList);
      expect(await tagsOf({ tagList: ['salad'] })).to.deep.equal(['salad']);
      expect(await tagsOf({ tagList: [] })).to.deep.equal([]);
      await update({ tagList: null }).expect(422, { errors: { tagList: ['must be a JSON array'] } });
    });

    it('returns 401 without a token, 403 for an article of another user, and 404 for an unknown slug', async () => {
      await update({ body: 'Mine' }, conduit.anonymous).expect(401, missing);
      await update({ body: 'Mine' }, await conduit.createUser('grace')).expect(403, forbidden);
      await ada.put('/articles/unknown', { article: { body: 'Mine' } }).expect(404, notFound);
      await ada.get('/articles/tomatoes').expect(200, { article: { ...published, tagList } });
    });
  });

  describe('deleteArticle', () => {
    it('returns 204, and deletes its comments, tags and favorites too', async () => {
      await ada.publish({ tagList: ['food'] });
      await ada.post('/articles/tomatoes/comments', { comment: { body: 'First!' } }).expect(201);
      await ada.post('/articles/tomatoes/favorite').expect(200);
      await ada.delete('/articles/tomatoes').expect(204, '');
      await ada.get('/articles/tomatoes').expect(404, notFound);
      await ada.get('/tags').expect(200, { tags: [] });
      await ada.get('/articles?favorited=ada').expect(200, { articles: [], articlesCount: 0 });
      await ada.publish();
      await ada.get('/articles/tomatoes/comments').expect(200, { comments: [] });
    });

    it('returns 401 without a token, 403 for an article of another user, and 404 for an unknown slug', async () => {
      await ada.publish();
      await conduit.anonymous.delete('/articles/tomatoes').expect(401, missing);
      await (await conduit.createUser('grace')).delete('/articles/tomatoes').expect(403, forbidden);
      await ada.delete('/articles/unknown').expect(404, notFound);
      await ada.get('/articles/tomatoes').expect(200);
    });
  });

  describe('favoriteArticle and unfavoriteArticle', () => {
    it('return 200 with the article, also if nothing changes, and count each user once', async () => {
      const grace = await conduit.createUser('grace');
      await ada.publish();
      const favorite = { article: { ...published, favorited: true, favoritesCount: 1 } };
      for (let time = 0; time < 2; time += 1) await grace.post('/articles/tomatoes/favorite').expect(200, favorite);
      await ada.post('/articles/tomatoes/favorite').expect(200, {
        article: { ...favorite.article, favoritesCount: 2 },
      });
      await ada.delete('/articles/tomatoes/favorite').expect(200, {
        article: { ...favorite.article, favorited: false },
      });
      for (let time = 0; time < 2; time += 1)
        await grace.delete('/articles/tomatoes/favorite').expect(200, { article: published });
    });

    it('return 401 without a token, and 404 for an unknown slug', async () => {
      await conduit.anonymous.post('/articles/unknown/favorite').expect(401, missing);
      await conduit.anonymous.delete('/articles/unknown/favorite').expect(401, missing);
      await ada.post('/articles/unknown/favorite').expect(404, notFound);
      await ada.delete('/articles/unknown/favorite').expect(404, notFound);
    });
  });

  it('is written as a whole or not at all', async () => {
    // The second tag violates the schema of the database, after the article and the first tag were written.
    const article = { ...anArticle, tagList: ['food', null as unknown as string] };
    const { stores } = conduit.service;
    const { id = '' } = (await stores.users.findByEmail('ada@example.com')) ?? {};
    const error: unknown = await stores.articles.insert(id, article).catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'SQLITE_CONSTRAINT_NOTNULL');
    await ada.get('/articles').expect(200, { articles: [], articlesCount: 0 });
    await ada.get('/tags').expect(200, { tags: [] });
  });
});
