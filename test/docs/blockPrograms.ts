/** Programs of others that read blocks of the documents: PowerShell's grammar, Compose. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { root } from './blocks.ts';

export const isThere = (command: string, option = '--version') =>
	spawnSync(command, [option], { encoding: 'utf8' }).status === 0;

/** The grammar that editors have for PowerShell; the program itself is in no distribution that the tests run on. */
export async function parsesAsPowerShell(text: string): Promise<void> {
	const { Language, Parser } = await import('web-tree-sitter');
	await Parser.init();
	const grammar = join(
		root,
		'node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
	);
	const parser = new Parser();
	parser.setLanguage(await Language.load(grammar));
	const faulty = (source: string) => parser.parse(source)?.rootNode.hasError ?? true;
	assert.ok(faulty('if ($env:A { "a" }'), 'what is wrong is found');
	assert.ok(!faulty(text), text);
	parser.delete();
}

/** Compose itself reads both files as it would on the machine of the tutorial, where it is installed. */
export function mergedByCompose(text: string, folder: string): void {
	if (!isThere('docker-compose')) return;
	const there = join(folder, 'deploy');
	cpSync(join(root, 'deploy'), there, { recursive: true });
	writeFileSync(join(there, 'docker-compose.override.yml'), text);
	writeFileSync(
		join(there, '.env'),
		'NEARGLOT_KEY=a\nNEARGLOT_GATEWAY_SECRET=b\nGITHUB_CLIENT_SECRET=c\n',
	);
	const { status, stdout, stderr } = spawnSync('docker-compose', ['config'], {
		cwd: there,
		encoding: 'utf8',
	});
	assert.equal(status, 0, stderr);
	const { services } = z
		.object({
			services: z.object({
				gateway: z.object({ ports: z.array(z.unknown()) }),
				models: z.object({
					command: z.array(z.string()),
					ports: z.array(z.unknown()),
					read_only: z.literal(true),
				}),
			}),
		})
		.parse(parseYaml(stdout));
	// The model server has a port of its own now; the command takes the other's place.
	for (const { ports } of [services.gateway, services.models])
		assert.equal(ports.length, 1, stdout);
	assert.deepEqual(
		services.models.command,
		(parseYaml(text) as { services: { models: { command: string[] } } }).services.models.command,
	);
}
