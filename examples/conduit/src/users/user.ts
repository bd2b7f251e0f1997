/** A user, as tokens identify them: the caller of handlers. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
}
