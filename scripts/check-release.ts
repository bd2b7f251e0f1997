/** Fails if the contract breaks what was released last, or has a version that does not say how much has changed. */
import { judgeRelease } from './judge-release.js';

const today = new Date().toISOString().slice(0, '2026-01-01'.length);
const { released, problems } = await judgeRelease(new URL('../../', import.meta.url), today);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else if (released === undefined) {
  console.log('No contract has been released, so there is none to break.');
}
