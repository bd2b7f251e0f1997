/** A prepared statement. Each connection prepares it once, under its name, which no other statement may have. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
