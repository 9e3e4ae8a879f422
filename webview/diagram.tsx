/**
 * Mermaid diagrams of answers as pictures, which run nothing and load nothing. The library comes when the first one is
 * seen; it knows flowcharts, states, sequences, classes and entities, and what it does not know stays code.
 */

import { type Signal, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { isSmallDiagram } from './diagramSize.ts';

/** The address of a diagram's picture once it is drawn, in the colours of the page; `undefined` for one that cannot be drawn or shown. */
export function useDiagram(
	text: string,
	isWanted: boolean,
	box: RefObject<HTMLElement | null>,
): Signal<string | undefined> {
	const url = useMemo(() => signal<string | undefined>(undefined), []);
	useEffect(() => {
		url.value = undefined;
		const element = box.current;
		if (!isWanted || !element) return;
		let gone = false;
		const draw = async () => {
			const drawn = await pictureOf(text, element).catch(() => undefined);
			if (!gone) url.value = drawn;
		};
		const seen = new IntersectionObserver((entries) => {
			if (!entries.some((entry) => entry.isIntersecting)) return;
			seen.disconnect();
			void draw();
			theme.observe(document.body, { attributes: true, attributeFilter: ['class', 'style'] });
			theme.observe(document.documentElement, { attributes: true });
		});
		const theme = new MutationObserver(() => void draw());
		seen.observe(element);
		return () => {
			gone = true;
			seen.disconnect();
			theme.disconnect();
		};
	}, [text, isWanted, box, url]);
	return url;
}

/** Of the system: pictures have no others. */
const font = 'sans-serif';

async function pictureOf(text: string, element: HTMLElement): Promise<string | undefined> {
	const plain = withoutHead(text);
	if (!isSmallDiagram(plain)) return undefined;
	const { renderMermaid } = await import('beautiful-mermaid');
	const style = getComputedStyle(element);
	const colour = (name: string) => style.getPropertyValue(name).trim();
	const svg = await renderMermaid(plain, {
		...{ bg: colour('--raised'), fg: colour('--text'), accent: colour('--link') },
		...{ line: colour('--dim'), muted: colour('--dim') },
		...{ font, padding: 16, transparent: true },
	});
	// A picture loads no fonts; nor is it to name a place to load them from. A label may say so all the same.
	const own = svg.replace(/^\s*@import url\([^\n]*\);$/gm, '').replaceAll(`'${font}'`, font);
	return `data:image/svg+xml,${encodeURIComponent(own)}`;
}

/** Without settings of its own before the diagram, as it has the page's colours, and without line breaks in labels. */
const withoutHead = (text: string): string =>
	text
		.trim()
		.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
		.replace(/^(?:\s*%%[^\n]*\n)+/, '')
		.replace(/<br\s*\/?>/gi, ' ')
		.trim();
