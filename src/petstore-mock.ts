#!/usr/bin/env node
/** `petstore-mock`: `petstore mock` without the service, in a package of its dependencies only (`npm run mock`). */
import { runMock } from 'contract-server/mock';

const contract = new URL('../spec/petstore.yaml', import.meta.url);
const checkedContract = new URL('checked-contract.json', import.meta.url);
await runMock({ name: 'petstore', contract, checkedContract }, process);
