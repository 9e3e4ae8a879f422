/** What happens before the first token, in words instead of a spinner. */

import type { VNode } from 'preact';
import { useChat } from './page.ts';

export function ProgressLine(): VNode | null {
	const { progress, t } = useChat();
	const now = progress.value;
	if (!now) return <span class="caret" aria-hidden="true" />;
	const words = now.phase === 'queued' ? t('queued', now.ahead ?? 0) : t(now.phase);
	return (
		<p class="progress">
			<span>{words} …</span>
			{now.fraction === undefined ? (
				<progress aria-label={words} />
			) : (
				<progress aria-label={words} value={now.fraction} max={1} />
			)}
		</p>
	);
}
