import type { SchemaEnv } from 'ajv/dist/compile/index.js';
import { type Translation, toAjvSchema } from './ajv-schema.js';
import { ReferenceCycles } from './reference-cycles.js';
import type { SchemaAjv } from './schema-ajv.js';

/** The schemas that references lead to, each of which Ajv knows by an id. */
export class ReferredSchemas {
  private readonly ids = new Map<Translation, Map<object, string>>();
  private readonly missing: (readonly [id: string, target: object, translation: Translation])[] = [];
  private readonly cycles = new ReferenceCycles();
  /** The id of the one that is being translated. */
  private current: string | undefined;
  private count = 0;

  /** @param prefix of the ids, which those of another Ajv do not have. */
  constructor(
    private readonly ajv: SchemaAjv,
    private readonly prefix: string,
  ) {}

  /** The id of a schema of the contract in a translation. */
  idOf(target: object, translation: Translation): string {
    const id = this.findId(target, translation);
    if (this.current !== undefined) this.cycles.add(this.current, id);
    return id;
  }

  /** Whether a schema contains a reference to itself, or to one that leads to it. */
  isRecursive(id: string): boolean {
    return this.cycles.has(id);
  }

  /** What Ajv has compiled, or is compiling, by an id, unless another Ajv that asks for it can do so itself. */
  find(id: string, ajv: SchemaAjv): SchemaEnv | undefined {
    if (!id.startsWith(this.prefix) || (ajv === this.ajv && !this.isRecursive(id))) return undefined;
    const schema = this.ajv.schemas[id];
    if (schema !== undefined && !this.ajv._compilations.has(schema)) this.ajv.getSchema(id);
    return schema;
  }

  /** Adds the schemas whose ids were asked for, and those that they refer to in turn. */
  add(): void {
    for (let next = this.missing.pop(); next !== undefined; next = this.missing.pop()) {
      const [id, target, translation] = next;
      this.current = id;
      this.ajv.addSchema(toAjvSchema(target, translation) as object, id);
    }
    this.current = undefined;
  }

  private findId(target: object, translation: Translation): string {
    const ids = this.ids.get(translation) ?? new Map<object, string>();
    this.ids.set(translation, ids);
    const known = ids.get(target);
    if (known !== undefined) return known;
    const id = `${this.prefix}${String((this.count += 1))}`;
    ids.set(target, id);
    this.missing.push([id, target, translation]);
    return id;
  }
}
