/**
 * Writes docs/reference: the pages that are made from what the program itself says, so that they cannot become
 * untrue. `node scripts/reference.mjs`; a test compares.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './node.mjs';
import { commandLine } from './reference/commandLine.mjs';
import { catalogue, errors, rpcMessages } from './reference/contract.mjs';
import { commands, settings } from './reference/contributions.mjs';
import { gatewaySettings } from './reference/gatewaySettings.mjs';

/** Name of each page → what writes it. */
export const pages = {
	'command-line.md': commandLine,
	'settings.md': settings,
	'commands.md': commands,
	'errors.md': errors,
	'json-rpc.md': rpcMessages,
	'catalogue.md': catalogue,
	'auth-json.md': gatewaySettings,
};

export const folder = join(root, 'docs/reference');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	mkdirSync(folder, { recursive: true });
	for (const [name, write] of Object.entries(pages)) writeFileSync(join(folder, name), write());
}
