/** Who speaks from a line on: a name that can be changed, and changes wherever they speak. */

import { useComputed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { speakerName, type TranscriptLine } from '../../server/protocol/index.ts';
import { isComposing } from '../composing.ts';
import { useTranscript } from './transcriptState.ts';

interface SpeakerProps {
	readonly index: number;
	readonly line: TranscriptLine;
}

/** Nothing where the speaker of the line before goes on. */
export function SpeakerName({ index, line }: SpeakerProps): VNode | null {
	const { document, lines, t } = useTranscript();
	const naming = useSignal(false);
	const { speaker = '' } = line;
	const begins = useComputed(() => lines.value[index - 1]?.speaker !== speaker);
	const name = useComputed(() => (document.value ? speakerName(document.value, speaker) : speaker));
	if (speaker === '' || !begins.value) return null;
	if (naming.value)
		return (
			<NameField
				speaker={speaker}
				name={name.value}
				done={() => {
					naming.value = false;
				}}
			/>
		);
	return (
		<button
			type="button"
			class="speaker"
			title={t('nameSpeaker')}
			aria-label={t('speakerButton', name.value)}
			disabled={document.value === null}
			onClick={() => {
				naming.value = true;
			}}
		>
			{name.value}
		</button>
	);
}

interface NameProps {
	readonly speaker: string;
	readonly name: string;
	readonly done: () => void;
}

/** Enter and leaving keep the name, Escape gives it up. */
function NameField({ speaker, name, done }: NameProps): VNode {
	const { send, t } = useTranscript();
	const field = useRef<HTMLInputElement>(null);
	const closed = useRef(false);
	useLayoutEffect(() => field.current?.select(), []);
	const close = (keep: boolean) => {
		if (closed.current) return;
		closed.current = true;
		const given = field.current?.value ?? name;
		if (keep && given !== name) send({ type: 'nameSpeaker', speaker, name: given });
		done();
	};
	return (
		<input
			ref={field}
			class="speaker"
			aria-label={t('speakerField', name)}
			maxLength={80}
			defaultValue={name}
			onBlur={() => close(true)}
			onKeyDown={(event) => {
				event.stopPropagation();
				if (event.key === 'Escape') close(false);
				else if (event.key === 'Enter' && !isComposing(event)) close(true);
			}}
		/>
	);
}
