/** Which diagrams are drawn: those that the page does not stand still for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSmallDiagram } from '../../webview/diagramSize.ts';

const names = (letter: string, count: number) =>
	Array.from({ length: count }, (_, index) => letter + index);

test('diagrams as people draw them are small enough', () => {
	const lines = names('a', 100).map((name, index) => `  ${name}[Fish &amp; chips] --> b${index}`);
	assert.ok(isSmallDiagram(`flowchart TD\n${lines.join('\n')}`));
	assert.ok(isSmallDiagram('flowchart TD\n  a & b & c --> d & e'));
	const inner = names('s', 4).map((name) => `subgraph ${name}\n  ${name}a --> ${name}b\nend`);
	assert.ok(isSmallDiagram(`flowchart TD\n${inner.join('\n')}`));
});

test('what grows while it is laid out is refused, however short it is written', () => {
	const product = `${names('a', 40).join(' & ')} --> ${names('b', 40).join(' & ')}`;
	assert.ok(!isSmallDiagram(`flowchart TD\n${product}`), 'one line, 1,600 links');
	assert.ok(!isSmallDiagram(`flowchart TD\n${names('n', 600).join('-->')}`), 'a long chain');
	const nested = `${names('subgraph s', 40).join('\n')}\na --> b\n${'end\n'.repeat(40)}`;
	assert.ok(!isSmallDiagram(`flowchart TD\n${nested}`), 'subgraphs in subgraphs');
	const states = `${names('state s', 20).join(' {\n')} {\na --> b\n${'}\n'.repeat(20)}`;
	assert.ok(!isSmallDiagram(`stateDiagram-v2\n${states}`), 'states in states');
	assert.ok(
		!isSmallDiagram(`flowchart TD\n${'a --> b\n'.repeat(199)}c --> d & `.padEnd(9000, 'x')),
	);
	assert.ok(!isSmallDiagram('\n'.repeat(250)));
});
