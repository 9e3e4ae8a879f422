/**
 * Blocks of the documents that are neither commands nor JavaScript: each is given to the program it is for, or to the
 * part of Nearglot that reads it. A block of a kind that has no test here fails.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { readKeyFile } from '../../server/gateway/keys/readKeyFile.ts';
import { messagesField } from '../../server/protocol/routes/messageFields.ts';
import { parseGlossary } from '../../server/translate/workspaceGlossary.ts';
import { firstLine, type Home, newHome } from '../support/home.ts';
import { needsShell } from '../support/systemNeeds.ts';
import { pathOf, place, runIn, withAddresses } from './blockPlace.ts';
import { isThere, mergedByCompose, parsesAsPowerShell } from './blockPrograms.ts';
import { type Block, blocksOf, documents, readDocument, root } from './blocks.ts';
import { behindCaddy, behindNginx } from './frontProxies.ts';
import { readOnly } from './notRun.ts';

let home: Home;
let folder = '';
let url = '';
before(async () => {
	home = await newHome();
	folder = place();
	url = String((await firstLine(home.start(['serve', '--port', '0', '--json'])))['url']);
});
after(async () => {
	await home.close();
	rmSync(folder, { recursive: true, force: true });
});

const where = ({ document, line }: Block) => `${document}:${line}`;

/** A chat at an address a block names, with the name of its model replaced by the built-in one. */
async function chatAt(address: string, block: Block): Promise<void> {
	const response = await fetch(address.replace('http://127.0.0.1:8080', url), {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
		body: JSON.stringify({
			model: 'starter-chat',
			messages: [{ role: 'user', content: 'list all files' }],
		}),
	});
	assert.equal(response.status, 200, `${where(block)}: ${address}`);
	const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
	assert.ok((choices[0]?.message.content ?? '') !== '');
}

/** Runs a script of Emacs or Neovim, which prints one line of JSON after `result:`. */
async function resultOf(command: string, args: readonly string[]): Promise<unknown> {
	const { told } = await runIn(folder, { ...home.env, HOME: folder }, command, args);
	const line = /^result:(.*)$/m.exec(told)?.[1];
	assert.ok(line !== undefined, told);
	return JSON.parse(line);
}

/** What a program of an editor is told: where to send what, with which key and model. */
const told = z.object({ url: z.string(), key: z.string(), model: z.string() });

const neovim = (script: string) => {
	const file = join(folder, 'block.lua');
	writeFileSync(file, script);
	return resultOf('nvim', [
		'--headless',
		'-u',
		'NONE',
		'-i',
		'NONE',
		'-n',
		'-c',
		`luafile ${file}`,
	]);
};

async function languageServerInNeovim(block: Block): Promise<void> {
	writeFileSync(join(folder, 'a.py'), '# The file could not be opened.\nprint("x")\n');
	const answer = await neovim(`
-- vim.lsp.start came with Neovim 0.8; Debian 12 has 0.7.2, which calls it by two names.
vim.lsp.start = vim.lsp.start or function(config)
  local id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(0, id)
  return id
end
local function say(value) io.stdout:write('\\nresult:' .. vim.fn.json_encode(value) .. '\\n') vim.cmd('qa!') end
vim.cmd('edit ${join(folder, 'a.py')}')
vim.bo.filetype = 'python'
local ok, why = pcall(function()
${block.text}
end)
if not ok then say({ error = tostring(why) }) end
vim.wait(60000, function()
  local client = vim.lsp.get_active_clients()[1]
  return client ~= nil and client.initialized == true
end, 50)
local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = 0, character = 2 }, ['end'] = { line = 0, character = 31 } },
  context = { diagnostics = {} },
}, 60000)
local titles = {}
for _, each in pairs(answers or {}) do
  for _, action in ipairs(each.result or {}) do table.insert(titles, action.title) end
end
say({ titles = titles })
`);
	const { titles = [] } = answer as { titles?: string[] };
	assert.ok(titles.length > 0, `${where(block)}: ${JSON.stringify(answer)}`);
}

async function companion(block: Block): Promise<void> {
	const answer = told.parse(
		await neovim(`
local kept
package.preload['codecompanion'] = function() return { setup = function(options) kept = options end } end
package.preload['codecompanion.adapters'] = function()
  return { extend = function(base, own) assert(base == 'openai_compatible') return own end }
end
${block.text}
local name = kept.interactions.chat.adapter
local own = kept.adapters.http[name]()
local told = { url = own.env.url .. '/v1/chat/completions', key = own.env.api_key, model = own.schema.model.default }
io.stdout:write('\\nresult:' .. vim.fn.json_encode(told) .. '\\n')
vim.cmd('qa!')
`),
	);
	await chatAt(answer.url, block);
}

const emacs = (script: string) => {
	const file = join(folder, 'block.el');
	writeFileSync(file, script);
	return resultOf('emacs', ['--batch', '--eval', '(package-initialize)', '--load', file]);
};

async function gptel(block: Block): Promise<void> {
	const answer = told.parse(
		await emacs(`
(require 'json)
(defun gptel-make-openai (_name &rest own)
  (princ (format "\\nresult:%s\\n" (json-encode
    (list :url (concat (plist-get own :protocol) "://" (plist-get own :host) (plist-get own :endpoint))
          :key (plist-get own :key) :model (symbol-name (car (plist-get own :models))))))))
${block.text}
`),
	);
	await chatAt(answer.url, block);
}

async function eglot(block: Block): Promise<void> {
	writeFileSync(join(folder, 'a.md'), 'The file could not be opened.\n');
	const answer = await emacs(`
(require 'json)
(define-derived-mode markdown-mode text-mode "Markdown")
${block.text}
(require 'eglot)
(find-file "${join(folder, 'a.md')}")
(markdown-mode)
(setq eglot-sync-connect 60)
(eglot-ensure)
(run-hooks 'post-command-hook)
(princ (format "\\nresult:%s\\n" (json-encode (list :managed (if (eglot-current-server) t :json-false)))))
(kill-emacs)
`);
	assert.deepEqual(answer, { managed: true }, where(block));
}

const zed = z.strictObject({
	language_models: z.strictObject({
		openai_compatible: z.record(
			z.string(),
			z.strictObject({
				api_url: z.string(),
				available_models: z
					.array(
						z.strictObject({
							name: z.string(),
							display_name: z.string().optional(),
							max_tokens: z.int(),
							capabilities: z.record(z.string(), z.boolean()).optional(),
						}),
					)
					.min(1),
			}),
		),
	}),
});

/** Fields of a model in Continue's published configuration, version 1. */
const continueModel = z.strictObject({
	name: z.string(),
	provider: z.enum(['openai', 'ollama']),
	model: z.string(),
	apiBase: z.url(),
	apiKey: z.string().optional(),
	roles: z.array(z.enum(['chat', 'edit', 'apply', 'autocomplete', 'embed', 'rerank', 'summarize'])),
});

const addressOf = { openai: '/chat/completions', ollama: '/v1/chat/completions' };

/** By language and the word behind it: what is done with a block. A string: why nothing can be. */
const checks: Readonly<
	Record<string, ((block: Block, context: TestContext) => void | Promise<void>) | string>
> = {
	'json auth': (block) => {
		const secrets = [...block.text.matchAll(/"clientSecretSettingName": "(\w+)"/g)];
		const env = Object.fromEntries(secrets.map(([, name]) => [String(name), 'a-secret']));
		parseSettings(JSON.parse(block.text), env, 8000);
	},
	'json batch': (block) => {
		const { inputs } = JSON.parse(block.text);
		assert.ok(inputs[0].source.sourceUrl && inputs[0].targets[0].targetUrl);
	},
	'json engines': (block) => {
		const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
		const settings = Object.assign(
			{},
			...[contributes.configuration].flat().map(({ properties }) => properties),
		);
		const schema = { type: 'object', additionalProperties: false, properties: settings } as const;
		assert.notDeepEqual(z.fromJSONSchema(schema).parse(JSON.parse(block.text)), {});
	},
	'json keys': (block) => {
		const file = join(folder, 'keys.json');
		const secret = spawnSync('openssl', ['rand', '-hex', '32'], { encoding: 'utf8' }).stdout.trim();
		writeFileSync(file, block.text.replaceAll('…', secret), { mode: 0o600 });
		assert.equal(readKeyFile(file).entries.length, 1);
	},
	'json message': (block) => {
		messagesField.parse([JSON.parse(block.text.replace('iVBORw0KGgo…', 'iVBORw0KGgo='))]);
	},
	'json mcp': async (block) => {
		const { mcpServers } = JSON.parse(block.text) as {
			mcpServers: Record<string, { command: string; args: string[] }>;
		};
		for (const { command, args } of Object.values(mcpServers)) {
			const client = new Client({ name: 'documents', version: '1' });
			const env = { ...(home.env as Record<string, string>), PATH: pathOf(folder) };
			await client.connect(
				new StdioClientTransport({ command: join(folder, 'bin', command), args, env }),
			);
			assert.ok((await client.listTools()).tools.length > 1);
			await client.close();
		}
	},
	'json zed': async (block) => {
		const { language_models } = zed.parse(JSON.parse(block.text));
		for (const { api_url } of Object.values(language_models.openai_compatible))
			await chatAt(`${api_url}/chat/completions`, block);
	},
	'yaml continue': async (block) => {
		const { models } = z
			.strictObject({
				name: z.string(),
				version: z.string(),
				schema: z.literal('v1'),
				models: z.array(continueModel),
			})
			.parse(parseYaml(block.text));
		for (const { apiBase, provider } of models)
			await chatAt(`${apiBase}${addressOf[provider]}`, block);
	},
	'yaml prometheus': (block) => {
		const { scrape_configs } = z
			.strictObject({
				scrape_configs: z
					.array(
						z.strictObject({
							job_name: z.string(),
							metrics_path: z.literal('/metrics').optional(),
							// The ports of those who run it need no key.
							authorization: z
								.strictObject({ type: z.literal('Bearer'), credentials_file: z.string() })
								.optional(),
							static_configs: z.array(z.strictObject({ targets: z.array(z.string()).min(1) })),
						}),
					)
					.min(1),
			})
			.parse(parseYaml(block.text));
		assert.ok(scrape_configs.length > 0, where(block));
	},
	'yaml compose': (block) => {
		const services = z.object({
			services: z.record(z.string(), z.object({ command: z.array(z.string()).optional() })),
		});
		const { services: own } = services.parse(parseYaml(block.text));
		const { services: there } = services.parse(
			parseYaml(readFileSync(join(root, 'deploy/docker-compose.yml'), 'utf8')),
		);
		for (const [name, { command }] of Object.entries(own)) {
			const known = there[name]?.command;
			assert.ok(known !== undefined, `${where(block)}: ${name}`);
			// Only the address differs, and what that asks for.
			const kept = known.filter((word) => !word.startsWith('--host='));
			for (const word of command === undefined ? [] : kept)
				assert.ok(command?.includes(word), `${where(block)}: ${word}`);
		}
		mergedByCompose(block.text, folder);
	},
	jsonl: async (block) => {
		// Results are put into a folder of the same name, which is not written over.
		const name = `lines-${randomUUID()}.jsonl`;
		writeFileSync(join(folder, name), block.text);
		const { code, told } = await runIn(folder, home.env, 'nearglot', ['batch', 'run', name]);
		assert.equal(code, 0, told);
	},
	ini: (block) => {
		const known =
			/^(?:\[(?:Unit|Service|Install)\]|(?:Description|ExecStart|Restart|TimeoutStopSec|WantedBy)=\S.*)$/;
		for (const line of block.text.split('\n').filter((each) => each !== ''))
			assert.match(line, known, where(block));
		if (!isThere('systemd-analyze')) return;
		const unit = join(folder, 'nearglot.service');
		writeFileSync(unit, block.text);
		const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
		assert.equal(status, 0, stderr);
	},
	python: async (block, context) => {
		if (!isThere('python3')) return context.skip('python3 is not installed');
		const parse = 'import ast, sys; ast.parse(sys.stdin.read())';
		const { status, stderr } = spawnSync('python3', ['-c', parse], {
			input: block.text,
			encoding: 'utf8',
		});
		assert.equal(status, 0, `${where(block)}: ${stderr}`);
		const base = /(?:base_url|api_base)="([^"]+)"/.exec(block.text)?.[1];
		assert.ok(base !== undefined, where(block));
		await chatAt(`${await withAddresses(base, url)}/chat/completions`, block);
	},
	powershell: async (block) => {
		await parsesAsPowerShell(block.text);
		const [, address = '', type = '', body = ''] =
			/Invoke-RestMethod (\S+) -Method Post -ContentType (\S+) `\s+-Body '([^']+)'/.exec(
				block.text,
			) ?? [];
		const response = await fetch(address.replace('http://127.0.0.1:8080', url), {
			method: 'POST',
			headers: { 'content-type': type },
			body,
		});
		assert.equal(response.status, 200, where(block));
		const [, file = '', command = ''] = /^Get-Content (\S+) -Raw \| (.*)$/m.exec(block.text) ?? [];
		const { code, told } = await runIn(folder, home.env, 'bash', [
			'-c',
			`cat ${file} | ${command}`,
		]);
		assert.equal(code, 0, told);
	},
	'powershell lines': async (block) => {
		await parsesAsPowerShell(block.text);
		const known = readDocument('docs/reference/environment.md');
		for (const [, name = ''] of block.text.matchAll(/^\$env:(\w+) = /gm))
			assert.ok(/^OPENAI_/.test(name) || known.includes(name), `${where(block)}: ${name}`);
		if (!isThere('pwsh')) return;
		const { status, stderr } = spawnSync(
			'pwsh',
			['-NoProfile', '-Command', '[scriptblock]::Create([Console]::In.ReadToEnd()) | Out-Null'],
			{ input: block.text, encoding: 'utf8' },
		);
		assert.equal(status, 0, stderr);
	},
	'lua language-server': async (block, context) =>
		isThere('nvim') ? languageServerInNeovim(block) : context.skip('nvim is not installed'),
	'lua codecompanion': async (block, context) =>
		isThere('nvim') ? companion(block) : context.skip('nvim is not installed'),
	'elisp gptel': async (block, context) =>
		isThere('emacs') ? gptel(block) : context.skip('emacs is not installed'),
	'elisp eglot': async (block, context) => {
		const has = ['--batch', '--eval', '(package-initialize)', '--eval', "(require 'eglot)"];
		if (spawnSync('emacs', has).status !== 0)
			return context.skip('emacs with eglot is not installed');
		await eglot(block);
	},
	'tsv glossary': (block) => {
		const { terms, problems } = parseGlossary(block.text);
		assert.ok(terms.length >= 2);
		assert.deepEqual(problems, []);
	},
	'text caddy': async (block, context) => {
		if (!isThere('caddy', 'version')) return context.skip('caddy is not installed');
		const file = join(folder, 'Caddyfile');
		writeFileSync(file, block.text);
		const made = spawnSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'], {
			encoding: 'utf8',
		});
		assert.equal(made.status, 0, made.stderr);
		await behindCaddy(block.text, folder);
	},
	'text nginx': async (block, context) => {
		if (!isThere('nginx', '-v')) return context.skip('nginx is not installed');
		await behindNginx(block.text, folder);
	},
	'text haproxy': (block, context) => {
		if (!isThere('haproxy', '-v')) return context.skip('haproxy is not installed');
		const file = join(folder, 'haproxy.cfg');
		const rest =
			'defaults\n mode http\n timeout connect 1s\n timeout client 1s\n timeout server 1s\n';
		writeFileSync(file, `${rest}listen all\n bind 127.0.0.1:1\n${block.text}\n`);
		const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', file], {
			encoding: 'utf8',
		});
		assert.equal(status, 0, stdout + stderr);
	},
	'text diagram': readOnly['text diagram']!,
};

const others = documents
	.flatMap((document) => blocksOf(document))
	.filter(({ language }) => !['sh', 'js'].includes(language));
const kindOf = ({ language, words }: Block) =>
	[language, ...words.filter((word) => !word.includes('='))].join(' ');

for (const block of others) {
	const kind = kindOf(block);
	const check = checks[kind];
	if (typeof check === 'string') continue;
	test(`${where(block)}: ${kind} is what its program reads`, {
		skip: needsShell,
	}, async (context) => {
		assert.ok(check !== undefined, `nothing here reads '${kind}'`);
		await check(block, context);
	});
}

test('there is no kind of block that no document has', () => {
	const kinds = new Set(others.map(kindOf));
	assert.deepEqual(
		Object.keys(readOnly).filter((kind) => !kinds.has(kind)),
		[],
	);
	assert.deepEqual(
		Object.keys(checks).filter((kind) => !kinds.has(kind)),
		[],
	);
});

test('code stands in fenced blocks, which are run or read, never in lines that are indented by four spaces', () => {
	const found = documents.flatMap((document) => {
		const outside = readDocument(document).replaceAll(/^[ \t]*```.*?^[ \t]*```[ \t]*$/gms, '');
		return [...outside.matchAll(/\n\n {4,}(\S.*)/g)]
			.map(([, code]) => `${document}: ${code}`)
			.filter((line) => !/: (?:[-*]|\d+\.) /.test(line));
	});
	assert.deepEqual(found, []);
});
