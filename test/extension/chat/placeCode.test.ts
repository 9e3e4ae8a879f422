/** Where proposed code goes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertedAt, locateEdit, type PlaceHints } from '../../../extension/chat/locateEdit.ts';

function applied(text: string, code: string, hints?: PlaceHints): string {
	const { start, end, text: replaced } = locateEdit(text, code, hints);
	return text.slice(0, start) + replaced + text.slice(end);
}

const file = `import os

class Greeter:
    def greet(self, name):
        print("hello " + name)
        return None

    def leave(self):
        return 1
`;

test('code that was attached is replaced where it is now, with the indent of the place', () => {
	const attached = { text: 'print("hello " + name)', offset: 3 };
	const moved = `# new first line\n${file}`;
	assert.equal(
		applied(moved, 'print(f"hello {name}")', { attached }),
		moved.replace('print("hello " + name)', 'print(f"hello {name}")'),
	);
});

test('of equal passages the one closest to the attached one is replaced', () => {
	const text = 'a()\nb()\na()\n';
	assert.equal(applied(text, 'c()', { attached: { text: 'a()', offset: 7 } }), 'a()\nb()\nc()\n');
});

test('a changed function replaces the one it resembles, indent and all', () => {
	const code = 'def greet(self, name, loud):\n    print("hello " + name)\n    return loud\n';
	assert.equal(
		applied(file, code),
		file
			.replace('def greet(self, name):', 'def greet(self, name, loud):')
			.replace('return None', 'return loud'),
	);
});

test('a whole file replaces the whole file', () => {
	const code = file.replace('return 1', 'return 2').replace('import os', 'import sys');
	assert.equal(applied(file, code, { attached: { text: file, offset: 0 } }), code);
});

test('code that resembles nothing goes to the selection or the cursor', () => {
	const selection = { start: file.indexOf('return 1'), end: file.indexOf('return 1') + 8 };
	assert.match(applied(file, 'pass', { selection }), / {8}pass\n$/);
	const cursor = { start: 0, end: 0 };
	assert.ok(applied(file, 'x = 1', { selection: cursor }).startsWith('x = 1\nimport os'));
});

test('line ends of the file are kept', () => {
	const text = 'one();\r\ntwo();\r\nthree();\r\n';
	const changed = applied(text, 'one();\ntwo(2);\nthree();');
	assert.equal(changed, 'one();\r\ntwo(2);\r\nthree();\r\n');
});

test('code never joins or splits the words at the cursor: it gets a line of its own', () => {
	const text = 'def mean(values):\n    total = sum(values)\n    return total / len(values)\n';
	const at = (part: string, more = part.length) => text.indexOf(part) + more;
	const insert = (offset: number, code: string) => {
		const { start, end, text: made } = insertedAt(text, offset, code);
		return text.slice(0, start) + made + text.slice(end);
	};
	const below = text.replace('len(values)\n', 'len(values)\n    ls -la\n');
	assert.equal(insert(at('len(values)'), 'ls -la'), below);
	assert.equal(insert(at('return tot'), 'ls -la'), below);
	const end = at('len(values)');
	assert.equal(applied(text, 'ls -la', { selection: { start: end, end } }), below);
	assert.equal(insert(at('len('), 'a, b'), text.replace('len(values)', 'len(values)\n    a, b'));
	assert.equal(
		insert(at('sum(values)'), 'if a:\n    b()\n'),
		text.replace('sum(values)\n', 'sum(values)\n    if a:\n        b()\n'),
	);
	const open = insertedAt('x = \n', 4, 'len(y)\n');
	assert.deepEqual([open.start, open.text], [4, 'len(y)']);
});
