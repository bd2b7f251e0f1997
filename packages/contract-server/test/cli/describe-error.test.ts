import { ContractError } from '@contract-server/core/contract/contract-error.js';
import { CommandError, UsageError } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { describeError, exitCodeOf } from '#src/cli/describe-error.js';

describe('an error of a command', () => {
  const lines = 'spec/pets.yaml:3:5 getPet: The field `name` is missing. Add it.\nspec/pets.yaml:4:1 No.';
  for (const [error, text, exitCode] of [
    [new ContractError(lines), lines, 1],
    [new CommandError('Cannot read a. Choose another file.'), 'error: cannot read a; choose another file', 1],
    [new UsageError('Missing --name.'), 'error: missing --name', 2],
  ] as const)
    it(`is described by what is wrong and what to do: ${error.name}`, () => {
      expect(describeError(error)).to.equal(text);
      expect(exitCodeOf(error)).to.equal(exitCode);
    });
});
