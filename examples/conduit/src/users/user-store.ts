import { randomUUID } from 'node:crypto';
import type { SqliteDatabase } from 'contract-server/sqlite';
import { conduitError } from '../errors.js';
import type { User } from './user.js';

interface PasswordHash {
  readonly passwordHash: string;
}

export type NewUser = Pick<User, 'email' | 'username'> & PasswordHash;

/** `undefined` leaves a field as it is; `null` removes it. */
export type UserChanges = {
  readonly [Name in Exclude<keyof (User & PasswordHash), 'id'>]: (User & PasswordHash)[Name] | undefined;
};

const columns = 'id, email, username, bio, image';

/** The accounts. */
export class UserStore {
  private readonly statements;

  constructor(private readonly db: SqliteDatabase) {
    this.statements = {
      find: db.prepare<[string], User>(`SELECT ${columns} FROM users WHERE id = ?`),
      findByEmail: db.prepare<[string], User & PasswordHash>(
        `SELECT ${columns}, password_hash AS passwordHash FROM users WHERE email = ?`,
      ),
      hasEmail: db.prepare<[User]>('SELECT 1 FROM users WHERE email = @email AND id <> @id'),
      hasUsername: db.prepare<[User]>('SELECT 1 FROM users WHERE username = @username AND id <> @id'),
      insert: db.prepare<[User & PasswordHash]>(
        'INSERT INTO users VALUES (@id, @email, @username, @passwordHash, @bio, @image)',
      ),
      update: db.prepare<[User & Pick<UserChanges, 'passwordHash'>]>(
        `UPDATE users SET email = @email, username = @username, bio = @bio, image = @image,
           password_hash = coalesce(@passwordHash, password_hash) WHERE id = @id`,
      ),
    };
  }

  find(id: string): Promise<User | undefined> {
    return this.db.run(() => this.statements.find.get(id));
  }

  /** Finds the user who logs in. Email addresses are not case-sensitive. */
  findByEmail(email: string): Promise<(User & PasswordHash) | undefined> {
    return this.db.run(() => this.statements.findByEmail.get(email));
  }

  /** @throws ApiError `email_taken`, `username_taken` */
  insert({ passwordHash, ...user }: NewUser): Promise<User> {
    const created = { id: randomUUID(), ...user, bio: null, image: null };
    return this.db.transaction(() => {
      this.requireUnique(created);
      this.statements.insert.run({ ...created, passwordHash });
      return created;
    });
  }

  /** @throws ApiError `email_taken`, `username_taken`, `invalid_credentials` if the user is gone. */
  update(id: string, { passwordHash, ...changes }: UserChanges): Promise<User> {
    return this.db.transaction(() => {
      const old = this.statements.find.get(id);
      if (old === undefined) throw conduitError('invalid_credentials');
      // Defaults take the place of `undefined` only, so `null` remains.
      const { email = old.email, username = old.username, bio = old.bio, image = old.image } = changes;
      const updated = { id, email, username, bio, image };
      this.requireUnique(updated);
      this.statements.update.run({ ...updated, passwordHash });
      return updated;
    });
  }

  /** In the transaction that writes the user, so no other can write in between. */
  private requireUnique(user: User): void {
    if (this.statements.hasEmail.get(user) !== undefined) throw conduitError('email_taken');
    if (this.statements.hasUsername.get(user) !== undefined) throw conduitError('username_taken');
  }
}
