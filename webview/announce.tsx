/** What a screen reader hears while an answer comes: that it began, whole sentences, that it ended. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useChat } from './page.ts';
import { lastSentenceEnd } from './sentenceEnd.ts';

/** Milliseconds between two announcements. */
const pauseMs = 3000;

export function Announcer(): VNode {
	const { streaming, t } = useChat();
	const said = useMemo(() => signal(''), []);
	const open = streaming.value;
	useEffect(() => {
		if (!open) return;
		said.value = t('answering');
		let spoken = 0;
		const timer = setInterval(() => {
			const text = open.text.peek();
			const end = lastSentenceEnd(text);
			if (end <= spoken) return;
			said.value = text.slice(spoken, end);
			spoken = end;
		}, pauseMs);
		return () => {
			clearInterval(timer);
			said.value = `${open.text.peek().slice(spoken)} ${t('answerFinished')}`;
		};
	}, [open, said, t]);
	return (
		<div class="visually-hidden" role="status" aria-live="polite">
			{said.value}
		</div>
	);
}
