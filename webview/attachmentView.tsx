/** What went along with a question: folded, with a link to where it was taken from. */

import type { VNode } from 'preact';
import type { Attachment, Turn } from '../server/protocol/index.ts';
import { imageUrl } from '../server/protocol/wireMessages.ts';
import { useChat } from './page.ts';

export function AttachmentView(props: {
	readonly turn: Turn;
	readonly attachment: Attachment;
	readonly index: number;
}): VNode {
	const { turn, attachment, index } = props;
	const { page, t, send } = useChat();
	const canOpen = attachment.source !== undefined && page.value?.capabilities.editor;
	return (
		<details class="attachment">
			<summary>{attachment.label}</summary>
			{canOpen && (
				<button
					type="button"
					class="link"
					onClick={() => send({ type: 'openAttachment', id: turn.id, index })}
				>
					{t('openFile', attachment.label)}
				</button>
			)}
			{attachment.image === undefined ? (
				<pre>{attachment.text}</pre>
			) : (
				<img src={imageUrl(attachment.image)} alt={attachment.label} />
			)}
		</details>
	);
}
