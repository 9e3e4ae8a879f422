/** Which system translates on the studio page; one choice for texts and documents. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TranslationSystem } from '../server/protocol/routes/translationSystems.ts';
import type { StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';

const systems = signal<readonly TranslationSystem[]>([]);

/** `category` of requests; empty: the server's own choice. */
export const chosenSystem = signal('');

export function SystemChoice({ api }: { api: StudioApi }): VNode | null {
	useEffect(() => {
		api.systems().then(
			(listed) => {
				systems.value = listed;
			},
			() => {
				// Without the list the server chooses, as it does for whoever chooses nothing.
				systems.value = [];
			},
		);
	}, [api]);
	const named = systems.value.filter(({ kind }) => kind !== 'general');
	if (named.length === 0) return null;
	return (
		<label>
			{text('translateWith')}
			<select
				value={chosenSystem.value}
				onChange={(event) => {
					chosenSystem.value = event.currentTarget.value;
				}}
			>
				<option value="">{text('automatic')}</option>
				{named.map(({ kind, name, model }) => (
					<option key={name} value={name}>
						{kind === 'chat' ? text('chatModelNamed', model ?? name) : (model ?? name)}
					</option>
				))}
			</select>
		</label>
	);
}
