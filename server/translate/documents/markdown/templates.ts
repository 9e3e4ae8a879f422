/** What stands between tags of templates and is code, such as in Jekyll and Hugo. */

import type { Region } from '../../gate/gate.ts';

const opening =
	/\{%-?[ \t]{0,8}(highlight|codeblock|comment|mermaid|katex)\b[^%\n]{0,200}%\}|\{\{[<%][ \t]{0,8}(highlight|mermaid|math|katex)\b[^}\n]{0,200}\}\}/g;

/** Ranges of such code with the tags around it, in order and without overlap. */
export function templateCode(text: string): readonly Region[] {
	const regions: Region[] = [];
	/** Names whose end does not come any more. */
	const open = new Set<string>();
	let next = 0;
	for (const match of text.matchAll(opening)) {
		const [all, ofJekyll, ofHugo] = match;
		const name = ofJekyll ?? ofHugo ?? '';
		const key = ofJekyll === undefined ? `/${name}` : name;
		if (match.index < next || open.has(key) || isCode(text, match.index, all.length)) continue;
		const closing = new RegExp(
			ofJekyll === undefined
				? `\\{\\{[<%][ \\t]{0,8}/${name}[ \\t]{0,8}[>%]\\}\\}`
				: `\\{%-?[ \\t]{0,8}end${name}[ \\t]{0,8}-?%\\}`,
			'g',
		);
		closing.lastIndex = match.index + all.length;
		let found = closing.exec(text);
		while (found && isCode(text, found.index, found[0].length)) found = closing.exec(text);
		if (!found) open.add(key);
		else {
			next = closing.lastIndex;
			regions.push({ start: match.index, end: next });
		}
	}
	return regions;
}

/** Whether a tag stands in a span of code, where others are told of it. */
const isCode = (text: string, at: number, length: number): boolean =>
	text[at - 1] === '`' || text[at + length] === '`';
