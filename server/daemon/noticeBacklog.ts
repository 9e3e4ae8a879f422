/** What the daemon's files had to tell, kept until those who talk to it have heard: nobody reads its log by chance. */

import type { noticeReaders } from '../protocol/routes/status.ts';
import { onNotice } from '../store/notices.ts';

/** Older ones are in the log. */
const maxKept = 50;

export class NoticeBacklog implements Disposable {
	readonly #texts: string[] = [];
	/** How many were told before the first that is kept. */
	#gone = 0;
	/** By reader, how many it has heard of. */
	readonly #sent = new Map<string, number>();
	readonly #listening = onNotice((text) => {
		this.#texts.push(text);
		while (this.#texts.length > maxKept) {
			this.#texts.shift();
			this.#gone++;
		}
	});

	/** What a reader has not heard yet. */
	take(reader: NoticeReader): readonly string[] {
		const from = Math.max(0, (this.#sent.get(reader) ?? 0) - this.#gone);
		this.#sent.set(reader, this.#gone + this.#texts.length);
		return this.#texts.slice(from);
	}

	[Symbol.dispose](): void {
		this.#listening[Symbol.dispose]();
	}
}

/** Each hears everything once. */
export type NoticeReader = (typeof noticeReaders)[number];
