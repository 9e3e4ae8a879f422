/** Correcting a line where it stands: Enter keeps, Escape gives up, leaving keeps. */

import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shortClock, type TranscriptLine } from '../../server/protocol/index.ts';
import { isComposing } from '../composing.ts';
import { useTranscript } from './transcriptState.ts';

export function LineEditor({ line }: { line: TranscriptLine }): VNode {
	const { editing, send, document, t } = useTranscript();
	const field = useRef<HTMLTextAreaElement>(null);
	const grow = () => {
		const { current } = field;
		if (!current) return;
		current.style.height = 'auto';
		current.style.height = `${current.scrollHeight + 2}px`;
	};
	useLayoutEffect(() => {
		const { current } = field;
		grow();
		current?.focus();
		current?.setSelectionRange(current.value.length, current.value.length);
	}, []);
	const close = (keep: boolean) => {
		if (editing.peek() !== line.id) return;
		const text = field.current?.value ?? line.text;
		editing.value = undefined;
		if (keep && text !== line.text) send({ type: 'edit', id: line.id, text });
	};
	return (
		<div class="line-editor">
			<textarea
				ref={field}
				rows={1}
				aria-label={t('editText', shortClock(line.start))}
				aria-describedby="edit-hint"
				lang={document.value?.language}
				dir="auto"
				onInput={grow}
				onBlur={() => close(true)}
				onKeyDown={(event) => {
					event.stopPropagation();
					if (event.key === 'Escape') close(false);
					else if (event.key === 'Enter' && !isComposing(event)) {
						event.preventDefault();
						close(true);
					}
				}}
			>
				{line.text}
			</textarea>
			<span id="edit-hint" class="note">
				{t('editHint')}
			</span>
		</div>
	);
}
