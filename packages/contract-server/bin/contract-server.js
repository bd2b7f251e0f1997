#!/usr/bin/env node
// npm links this file when it installs the repository, before the build creates dist/.
import '../dist/cli/contract-server.js';
