/** The list of texts that stayed as they were. */

import type { VNode } from 'preact';
import type { KeptText } from './keptTexts.ts';
import { text } from './studioText.ts';

/** Texts that are shown of many. */
const maxShown = 200;

export function KeptTextList({ kept }: { kept: readonly KeptText[] }): VNode {
	return (
		<details class="kept">
			<summary>{text('showKept')}</summary>
			<ol>
				{kept.slice(0, maxShown).map(({ place, text: own, why }, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
					<li key={index}>
						{place !== undefined && <code>{place}</code>} <q dir="auto">{own.slice(0, 300)}</q>
						{why !== undefined && (
							<span class="note" lang="en">
								{why}
							</span>
						)}
					</li>
				))}
				{kept.length > maxShown && <li>… {kept.length - maxShown}</li>}
			</ol>
		</details>
	);
}
