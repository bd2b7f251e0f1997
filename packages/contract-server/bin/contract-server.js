#!/usr/bin/env node
// npm links this file when it installs the repository, before the build creates dist/.
import '../dist/bundle/cli/contract-server.js';
