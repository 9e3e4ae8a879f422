import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastWords, saidLast } from '../../server/daemon/lastWords.ts';

const ends: readonly [string, string | undefined][] = [
	['', undefined],
	['\n \n', undefined],
	[
		"terminate called after throwing an instance of 'Ort::Exception'\n  what():  no kernel for /home/ann/models/x.onnx\n",
		'what(): no kernel for x.onnx',
	],
	[
		'/opt/app/dist/runner.cjs:12\n\tthrow new Error();\n\t^\n\nTypeError: x is not a function\n    at f (/opt/app/dist/runner.cjs:12:3)\n    at g {\n  code: 1\n}\n\nNode.js v24.1.0\n',
		'TypeError: x is not a function',
	],
	[
		'SyntaxError: Unexpected token \'s\', "secret" is not valid JSON\n    at JSON.parse\n\nNode.js v24\n',
		'SyntaxError',
	],
	[
		'node: error while loading shared libraries: libcudnn.so.9: cannot open shared object file\n(node:7) Warning: old\n(Use `node --trace` to see more)\n',
		'node: error while loading shared libraries: libcudnn.so.9: cannot open shared object file',
	],
	['2026-01-01 [W:onnxruntime:, graph.cc:1] all is well\n', undefined],
	['\u001b[31mred\u001b[0m: C:\\Users\\ann\\a.dll is missing.\r\n', 'red: a.dll is missing'],
	['cannot read /home/Anna Schmidt/my models/x.onnx\n', 'cannot read x.onnx'],
	['C:\\Users\\Anna Schmidt\\x.dll is missing\n', 'x.dll is missing'],
	['no answer of https://ann:pass@hub.example/x (Bearer abcdef123)\n', 'no answer of https:/x (…'],
	[`${'x'.repeat(4000)}\n`, 'x'.repeat(200)],
];
for (const [said, line] of ends)
	test(`of ${JSON.stringify(said.slice(0, 40))} is told ${line?.slice(0, 40)}`, () =>
		assert.equal(lastWords(said), line));

test('a process that said nothing adds no sentence', () => {
	assert.equal(saidLast(''), '');
	assert.equal(saidLast('bad\n'), ' It said last: bad.');
});
