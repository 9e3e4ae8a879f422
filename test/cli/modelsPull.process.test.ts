/** `nearglot models pull` downloads nothing under a licence with conditions that nobody has accepted. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { pullModelCommand } from '../../server/cli/modelsPull.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { type Home, newHome } from '../support/home.ts';
import { startHub } from '../support/hubServer.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

const content = {
	'config.json': Buffer.from('{"model_type": "llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': Buffer.alloc(5000, 1),
};

test('a licence with conditions, or none, is named with its page and the option, before a byte of the model comes', async () => {
	for (const license of ['gemma', null]) {
		await using hub = await startHub(content, { license });
		const pull = (...more: string[]) =>
			home.run(['models', 'pull', 'acme/tiny', ...more], '', { HF_ENDPOINT: hub.url });
		const refused = await pull('--name', 'own-model');
		assert.equal(refused.code, 1);
		assert.equal(refused.stdout, '');
		assert.match(
			refused.stderr,
			license === null
				? /The page of own-model:1 names no licence/
				: /under the licence 'gemma', which has conditions/,
		);
		assert.ok(refused.stderr.includes(`${hub.url}/acme/tiny`), refused.stderr);
		assert.match(
			refused.stderr,
			/Nothing was downloaded\. To accept it: nearglot models pull acme\/tiny --name own-model --accept-license$/m,
		);
		const fetched = () => hub.requests.some(({ path }) => path.includes('/resolve/'));
		assert.equal(fetched(), false);
		const planned = await pull('--plan', '--json');
		assert.equal(planned.code, 0, planned.stderr);
		assert.equal(JSON.parse(planned.stdout).repository, 'acme/tiny');
		assert.equal(JSON.parse(planned.stdout).license, license ?? undefined);
		assert.equal(fetched(), false);
		// What comes is no model that runs.
		const accepted = await pull('--name', `accepted-${license}`, '--accept-license');
		assert.doesNotMatch(accepted.stderr, /Nothing was downloaded/);
		assert.equal(fetched(), true);
	}
});

test('a licence that everybody may use models under is asked of nobody', async () => {
	await using hub = await startHub(content);
	await home.run(['models', 'pull', 'acme/tiny', '--name', 'free'], '', { HF_ENDPOINT: hub.url });
	assert.ok(hub.requests.some(({ path }) => path.includes('/resolve/')));
});

/** What somebody at a terminal is told, who types this at the question; `undefined`: ends the input. */
async function atTerminal(hub: string, name: string, typed: string | undefined) {
	const stdin = Object.assign(new PassThrough(), { isTTY: true });
	const output = () => Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true });
	const [stdout, stderr] = [output(), output()];
	let told = '';
	stderr.on('data', (text: string) => {
		told += text;
		if (!text.includes('[y/N]')) return;
		if (typed === undefined) stdin.end();
		else stdin.write(`${typed}\n`);
	});
	const io = {
		stdin,
		stdout: new TerminalWriter(stdout as unknown as NodeJS.WriteStream),
		stderr: new TerminalWriter(stderr as unknown as NodeJS.WriteStream),
		env: { ...home.env, HF_ENDPOINT: hub },
		signal: new AbortController().signal,
	};
	const args = ['acme/tiny', '--name', name];
	const failure = await pullModelCommand(args, io as unknown as CommandIo).then(
		() => '',
		(error: Error) => error.message,
	);
	return { told, failure };
}

test('a terminal is asked, and only a yes downloads', async () => {
	await using hub = await startHub(content, { license: 'gemma' });
	const fetched = () => hub.requests.some(({ path }) => path.includes('/resolve/'));
	for (const typed of ['', 'n', 'no', undefined]) {
		const { told, failure } = await atTerminal(hub.url, 'asked', typed);
		assert.match(told, /under the licence 'gemma', which has conditions/);
		assert.match(failure, /^Nothing was downloaded\. To accept it: nearglot models pull /);
		assert.equal(fetched(), false);
	}
	const { failure } = await atTerminal(hub.url, 'asked', 'y');
	assert.doesNotMatch(failure, /Nothing was downloaded/);
	assert.equal(fetched(), true);
});
