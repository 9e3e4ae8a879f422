/** How far a download is: its phase, and what will be made of the files where a model is built of them. */

import type { VNode } from 'preact';
import { sizeText } from './numberText.ts';
import type { DownloadShown } from './studioApi.ts';
import { text } from './studioText.ts';

const phases = { build: 'building', check: 'checking' } as const;

export function DownloadBar({ name, shown }: { name: string; shown: DownloadShown }): VNode {
	const { share, phase, again, plan } = shown;
	const words = [
		phase === undefined
			? undefined
			: text(phase === 'build' && again === true ? 'buildingAgain' : phases[phase]),
		plan && sizeText(plan.sizeBytes),
		plan && text('inMemory', sizeText(plan.memoryBytes)),
	].filter((part) => part !== undefined);
	return (
		<span class="download-bar">
			<progress
				aria-label={text('download', name, Math.floor(100 * share))}
				title={plan?.reason}
				value={share}
				max={1}
			/>
			{words.length > 0 && <span class="note">{words.join(' · ')}</span>}
		</span>
	);
}
