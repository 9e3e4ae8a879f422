import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { readArgs } from '../../server/cli/args.ts';
import { modelAndPrompt } from '../../server/cli/chatCommand.ts';
import { UsageError } from '../../server/cli/command.ts';
import { byteText, table } from '../../server/cli/textTable.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { type ModelInfo, readyChatModels } from '../../server/protocol/index.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { pruneHead } from '../fixtures/prunedHead.ts';
import { startFakeDaemon } from '../support/fakeDaemon.ts';
import { firstLine, type Home, newHome } from '../support/home.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

test('chat answers, with and without naming the model, and from standard input', async () => {
	const question = 'extract a tar.gz file';
	const named = await home.run(['chat', 'starter-chat', question, '--temperature', '0']);
	assert.equal(named.code, 0, named.stderr);
	assert.match(named.stdout, /tar/);
	const unnamed = await home.run(['chat', question, '--temperature', '0']);
	assert.equal(unnamed.stdout, named.stdout);
	const piped = await home.run(['chat', '--temperature', '0'], question);
	assert.equal(piped.stdout, named.stdout);
	const json = await home.run([
		'chat',
		question,
		'--json',
		'--temperature',
		'0',
		'--max-tokens',
		'3',
	]);
	const reply = JSON.parse(json.stdout);
	assert.equal(reply.usage.completion_tokens, 3);
	assert.equal(reply.model, 'starter-chat:1');
});

test('chat tells on standard error that an answer was cut, and fails in a sentence', async () => {
	const cut = await home.run(['chat', 'list files', '--max-tokens', '2']);
	assert.equal(cut.code, 0);
	assert.match(cut.stderr, /cut/);
	const unknown = await home.run(['chat', 'no-such-model', 'hello']);
	assert.equal(unknown.code, 1);
	assert.match(
		unknown.stderr,
		/^nearglot chat: There is no model 'no-such-model'\. Known: .*starter-chat:1/,
	);
	assert.ok(!unknown.stderr.includes('    at '), 'no stack');
});

test('an answer or a download that was cut off is a failure, and what arrived is printed', async () => {
	const folder = temporaryFolder('cut');
	const daemon = await startFakeDaemon(folder);
	const run = (args: readonly string[]) => home.run(args, '', { NEARGLOT_HOME: folder });
	try {
		for (const cut of ['closed', 'broken'] as const) {
			daemon.answer = { words: ['half', ' an answer'], cut };
			const { code, stdout, stderr } = await run(['chat', 'hello']);
			assert.deepEqual([code, stdout], [1, 'half an answer\n']);
			assert.match(stderr, /^nearglot chat: The model server ended in the middle of the answer/);
		}
		const pulled = await run(['models', 'pull', 'a/b']);
		assert.equal(pulled.code, 1);
		assert.match(pulled.stderr, /ended in the middle of the download/);
	} finally {
		await daemon.close();
	}
});

test('models list shows the built-in models', async () => {
	const { stdout, code } = await home.run(['models', 'list']);
	assert.equal(code, 0);
	assert.match(stdout, /^MODEL +TASK +SIZE +CONTEXT +STATE +MEMORY$/m);
	assert.match(stdout, /^starter-chat:1 +chat-completion +\d/m);
	const json = JSON.parse((await home.run(['models', 'list', '--json'])).stdout);
	assert.ok(json.some((model: { id: string }) => model.id === 'starter-translate:1'));
});

test('models list and models info say what the engine remarked about a model that is loaded', async () => {
	const own = await newHome();
	const model = writeDecoderModel(join(own.folder, 'models', 'last-only'), { attention: 'gqa' });
	pruneHead(join(model, 'onnx', 'model.onnx'), 'computed');
	try {
		const notice =
			'The next tokens are not guessed: the graph gives the logits of the last one only.';
		const before = await own.run(['models', 'info', 'last-only']);
		assert.equal(before.code, 0, before.stderr);
		assert.doesNotMatch(before.stdout, /not guessed/);
		const answer = await own.run(['chat', 'last-only', 'x', '--max-tokens', '2']);
		assert.equal(answer.code, 0, answer.stderr);
		const { stdout } = await own.run(['models', 'list']);
		assert.match(stdout, new RegExp(`^last-only:1: ${notice}$`, 'm'));
		const { stdout: info } = await own.run(['models', 'info', 'last-only']);
		assert.match(info, new RegExp(`^As it is loaded now\n(?:  - .*\n)*  - ${notice}$`, 'm'));
		await answersBeforeBuiltIn(own, 'last-only:1');
	} finally {
		await own.close();
	}
});

/** Every way to chat takes the downloaded model where none is named, also while only the built-in one is loaded. */
async function answersBeforeBuiltIn(own: Home, id: string): Promise<void> {
	assert.equal((await own.run(['models', 'unload', id])).code, 0);
	const builtIn = await own.run(['chat', 'starter-chat', 'x', '--max-tokens', '2', '--json']);
	assert.equal(JSON.parse(builtIn.stdout).model, 'starter-chat:1');
	const running = await findDaemon(own.env);
	assert.ok(running);
	const { url, key } = running.endpoint;
	const ask = async (path: string, body?: object) => {
		const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
		const sent = body && { method: 'POST', body: JSON.stringify(body) };
		return (await fetch(url + path, { headers, ...sent })).json();
	};
	const states = async () => {
		const { data } = (await ask('/v1/models')) as { data: ModelInfo[] };
		return data.filter(({ task }) => task === 'chat-completion');
	};
	// As the studio and the editor choose from the list.
	assert.deepEqual(
		readyChatModels(await states()).map((model) => [model.id, model.state, model.origin]),
		[
			[id, 'cached', 'local'],
			['starter-chat:1', 'loaded', 'built-in'],
		],
	);
	const cli = await own.run(['chat', 'hello', '--max-tokens', '2', '--json']);
	assert.equal(JSON.parse(cli.stdout).model, id, cli.stderr);
	assert.equal((await own.run(['models', 'unload', id])).code, 0);
	const body = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 2 };
	assert.equal(((await ask('/v1/chat/completions', body)) as { model: string }).model, id);
}

test('doctor finds nothing wrong and measures', async () => {
	const { stdout, code } = await home.run(['doctor']);
	assert.equal(code, 0, stdout);
	assert.match(stdout, /^chat +starter-chat:1: .*tokens at \d+ tokens\/s$/m);
	assert.match(stdout, /^data folder +.*, writable, .+ free$/m);
	assert.match(stdout, /^engine +ONNX Runtime through its C API$/m);
});

test('wrong use is 2 and says what is wrong', async () => {
	const cases: readonly (readonly [readonly string[], RegExp])[] = [
		[['chat', '--bogus'], /Unknown option '--bogus'/],
		[['chat', 'a', 'b', 'c'], /quotes/],
		[['chat', 'x', '--temperature', 'hot'], /--temperature takes a number from 0 to 2, not 'hot'/],
		[['serve', '--port', '99999'], /--port takes a number/],
		[['serve', '--log-level', 'loud'], /--log-level is one of/],
		[['models', 'fly'], /no 'models fly'/],
		[['frobnicate'], /Unknown command 'frobnicate'/],
	];
	for (const [args, message] of cases) {
		const { code, stderr } = await home.run(args);
		assert.equal(code, 2, args.join(' '));
		assert.match(stderr, message);
	}
});

test('a server told twice to end ends in good order', { skip: needsSignals }, async () => {
	const other = await newHome();
	const server = other.start(['serve', '--json']);
	await firstLine(server);
	const ended = once(server, 'close');
	server.kill('SIGTERM');
	server.kill('SIGINT');
	assert.deepEqual(await ended, [0, null]);
	assert.deepEqual(await readdir(other.folder), []);
	await other.close();
});

test('every command has help', async () => {
	for (const name of ['serve', 'chat', 'models', 'doctor']) {
		const { code, stdout } = await home.run([name, '--help']);
		assert.equal(code, 0);
		assert.match(stdout, new RegExp(`^Usage: nearglot ${name}`));
	}
});

test('one argument is a model only when there is one of that name', () => {
	const models = [{ id: 'a:1', alias: 'first' }];
	assert.deepEqual(modelAndPrompt(['first'], models), ['first', undefined]);
	for (const name of ['a', 'A:1', 'a:latest'])
		assert.deepEqual(modelAndPrompt([name], models), [name, undefined]);
	// Which one answers is the server's to say.
	assert.deepEqual(modelAndPrompt(['hello'], models), [undefined, 'hello']);
	assert.deepEqual(modelAndPrompt(['x', 'hello'], models), ['x', 'hello']);
});

test('numbers of options are checked', () => {
	const read = (value: string) =>
		readArgs([`--n=${value}`], { n: { type: 'string' } }).integer('n', 0, 10);
	assert.equal(read('3'), 3);
	for (const bad of ['', ' ', '1.5', '11', '-1', '1e99', 'x'])
		assert.throws(() => read(bad), UsageError);
});

test('text of a model cannot steer the terminal', () => {});

test('tables align and bytes are readable', () => {
	assert.equal(
		table([
			['a', 'bb'],
			['ccc', ''],
		]),
		'a    bb\nccc',
	);
	assert.deepEqual([0, 999, 5_513_889, 150e6, 2.5e12].map(byteText), [
		'0 B',
		'999 B',
		'5.5 MB',
		'150 MB',
		'2.5 TB',
	]);
	assert.equal(byteText(undefined), '');
});

test('folders are named from where the command is run, and naming one twice changes nothing', async () => {
	const folder = temporaryFolder('add');
	await cp(join(builtInModelsDir() ?? '', 'starter-chat'), join(folder, 'own'), {
		recursive: true,
	});
	const name = relative(process.cwd(), join(folder, 'own'));
	for (let time = 0; time < 2; time++) {
		const added = await home.run(['models', 'add', name]);
		assert.equal(added.code, 0, added.stderr);
		assert.match((await home.run(['models', 'info', 'own'])).stdout, /own/);
	}
	const drafts = await home.run(['models', 'draft', 'starter-chat', 'own']);
	assert.equal(drafts.code, 0, drafts.stderr);
	const dropped = await home.run(['models', 'drop', name]);
	assert.equal(dropped.code, 0, dropped.stderr);
	const answer = await home.run(['chat', 'starter-chat', 'list files']);
	assert.equal(answer.code, 0, answer.stderr);
	await home.run(['models', 'draft', 'starter-chat', 'none']);
});
