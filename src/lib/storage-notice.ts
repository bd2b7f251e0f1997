/**
 * What the operator is told about trouble of the storage: when it begins, for every further reason, and when it is
 * over.
 */
export class OutageNotice {
  constructor(
    readonly message: string,
    readonly isOver: boolean,
  ) {}
}
