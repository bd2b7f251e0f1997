import type { Stores } from './stores.js';
import { hashPassword } from './users/password.js';
import type { User } from './users/user.js';

/** The password of every user of the seed. */
export const seedPassword = 'password';

/** Each follows the one before, and reads their articles. */
const usernames = ['jake', 'ada', 'grace', 'linus'];

const topics = [
  { title: 'Tomatoes', description: 'From seed to salad.', tagList: ['food', 'garden'] },
  { title: 'Bread', description: 'Flour, water, salt and time.', tagList: ['food'] },
  { title: 'Bicycles', description: 'Why chains wear out.', tagList: ['repair', 'travel'] },
];

/**
 * Writes users who follow each other, with articles, favorites and comments. Resolves with the email addresses.
 *
 * @throws ApiError `email_taken` if the database has these users already.
 */
export async function seed({ users, profiles, articles, comments }: Stores): Promise<readonly string[]> {
  const passwordHash = await hashPassword(seedPassword);
  const created: User[] = [];
  for (const username of usernames)
    created.push(await users.insert({ username, email: `${username}@example.com`, passwordHash }));
  for (const [index, author] of created.entries()) {
    const reader = created[(index + 1) % created.length] ?? author;
    await profiles.follow(author.username, reader.id);
    for (const { title, ...others } of topics) {
      const body = `# ${title}\n\nWhat ${author.username} has learned about it.`;
      const { slug } = await articles.insert(author.id, { ...others, title: `${title}, by ${author.username}`, body });
      await articles.setFavorite(slug, reader.id, true);
      await comments.insert(slug, reader.id, 'Thank you!');
    }
  }
  return created.map(({ email }) => email);
}
