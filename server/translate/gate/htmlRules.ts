/** What translations of HTML are held to, in files and in requests alike. */

import type { GateRules, SyntaxNode } from './gate.ts';
import { htmlNodes } from './htmlNodes.ts';

/** The syntax of a document, or nothing where its reader finds it broken. */
export const unlessBroken =
	(read: (text: string) => readonly SyntaxNode[]) =>
	(text: string): readonly SyntaxNode[] | undefined => {
		try {
			return read(text);
		} catch {
			// A translation that cannot be read is refused; a source that cannot is told of elsewhere.
			return undefined;
		}
	};

export const htmlRules: GateRules = { nodes: unlessBroken((text) => htmlNodes(text)) };
