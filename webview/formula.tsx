/** Formulas of answers as MathML, which the browser draws itself. The library comes when the first one is seen. */

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Longest formula that is drawn, in characters; longer ones stay as they were written. */
const maxLength = 4000;

export function FormulaView({ tex, isBlock }: { tex: string; isBlock: boolean }): VNode {
	const box = useRef<HTMLSpanElement>(null);
	useEffect(() => {
		if (tex.length > maxLength) return;
		let gone = false;
		void import('katex').then(({ render }) => {
			const element = box.current;
			if (gone || !element) return;
			const drawn = document.createElement('span');
			try {
				// Nothing that leads elsewhere or loads something is drawn, and no macro grows without end.
				render(tex, drawn, {
					...{ output: 'mathml', displayMode: isBlock, throwOnError: true, trust: false },
					...{ strict: 'ignore', maxExpand: 200, maxSize: 20 },
				});
			} catch {
				// What cannot be read stays as it was written.
				return;
			}
			element.replaceChildren(drawn);
		});
		return () => {
			gone = true;
		};
	}, [tex, isBlock]);
	return (
		// Its own node for each formula: what the library draws is not known here.
		<span key={tex} class={isBlock ? 'maths block' : 'maths'} ref={box}>
			<code>{tex}</code>
		</span>
	);
}
