/** The first constrained answers of a process may be asked for all at once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConstraintCompiler } from '../../server/engine/grammar/compileConstraint.ts';
import { toolFormats } from '../../server/engine/template/toolFormat.ts';
import { byteTextModel } from './byteTextModel.ts';

test('grammars that are the first of their process can be compiled at the same time', async () => {
	const text = byteTextModel();
	const end = text.tokenToId('</s>') as number;
	const compile = createConstraintCompiler(text, toolFormats.hermes);
	const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
	const compiled = await Promise.all(
		Array.from({ length: 6 }, () => compile({ kind: 'json-schema', schema }, [end])),
	);
	for (const constraint of compiled) {
		assert.ok(constraint !== undefined);
		for (const id of text.encode('{"a":7}')) assert.equal(constraint.accept(id), true);
		constraint.dispose();
	}
});
