/** The syntax of HTML for the gate: tags with what of their attributes is no words, comments, and what is code. */

import { Parser } from 'htmlparser2';
import { isReadAttribute } from '../documents/readAttributes.ts';
import { decodeEntities } from '../entities.ts';
import { Nesting } from '../nesting.ts';
import type { SyntaxNode } from './gate.ts';

/** Elements that stay whole, words and all. */
const code = new Set(['script', 'style', 'pre', 'code', 'kbd', 'samp', 'var', 'math', 'textarea']);
/** Values that name the document's language and direction, which are the target's afterwards. */
const ofLanguage = new Set(['lang', 'xml:lang', 'dir']);

interface OpenElement {
	readonly name: string;
	readonly index: number;
	/** Whether words or anything else to be seen is inside. */
	isFull: boolean;
}

/** Tags, comments and code of a document in their order. */
export function htmlNodes(text: string, isXml = false): SyntaxNode[] {
	const nodes: { at: number; node: string }[] = [];
	const open: OpenElement[] = [];
	const nesting = new Nesting();
	let codeDepth = 0;
	/** Elements that are open in a translation of XLIFF, which is what may change. */
	let targetDepth = 0;
	const fill = () => {
		const last = open.at(-1);
		if (last) last.isFull = true;
	};
	const parser: Parser = new Parser(
		{
			onopentag(name, attributes, implied) {
				nesting.open();
				if (isXml && (targetDepth > 0 || name === 'target')) {
					targetDepth++;
					return;
				}
				if (code.has(name)) codeDepth++;
				const kept = Object.entries(attributes).flatMap(([key, value]) => {
					if (isXml && isState(key)) return [];
					const isOpen = isReadAttribute(name, key, attributes) || ofLanguage.has(key);
					return [`${key}=${isOpen && value.trim() !== '' ? '…' : value}`];
				});
				fill();
				open.push({ name, index: nodes.length, isFull: false });
				const node = `<${[name, ...kept.sort()].join(' ')}>${implied ? ' implied' : ''}`;
				nodes.push({ at: parser.startIndex, node });
			},
			ontext(data) {
				if (targetDepth > 0) return;
				if (codeDepth > 0) nodes.push({ at: parser.startIndex, node: data });
				if (/[\p{L}\p{N}]/u.test(decodeEntities(data, 0).text)) fill();
			},
			oncomment(data) {
				nodes.push({ at: parser.startIndex, node: `<!--${data}-->` });
			},
			onprocessinginstruction(_, data) {
				nodes.push({ at: parser.startIndex, node: `<${data}>` });
			},
			onclosetag(name, implied) {
				nesting.close();
				if (targetDepth > 0) {
					targetDepth--;
					return;
				}
				if (code.has(name)) codeDepth--;
				const element = open.pop();
				if (element?.isFull) fill();
				// An element that holds nothing any more has lost its words.
				const own = element && nodes[element.index];
				if (own && !element.isFull) own.node += ' empty';
				if (!implied) nodes.push({ at: parser.startIndex, node: `</${name}>` });
			},
		},
		{ decodeEntities: false, xmlMode: isXml, recognizeSelfClosing: isXml },
	);
	parser.end(text);
	return nodes;
}

/** XLIFF says of units how far their translation is. */
const isState = (name: string): boolean =>
	/^(?:state|subState|target-language|trgLang)$/.test(name);
