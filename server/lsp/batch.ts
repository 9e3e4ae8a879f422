/** Joins what arrives faster than an editor can draw: at most one delta per frame. */

import type { ChatDelta } from '../protocol/index.ts';

/** Milliseconds between two deltas: 60 a second. */
const frameMs = 16;

/** Collects deltas and hands them on once per frame; `flush` hands on the rest. */
export class DeltaBatch {
	readonly #send: (delta: ChatDelta) => void;
	#waiting: ChatDelta | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(send: (delta: ChatDelta) => void) {
		this.#send = send;
	}

	add(delta: ChatDelta): void {
		this.#waiting = this.#waiting ? join(this.#waiting, delta) : delta;
		this.#timer ??= setTimeout(() => this.flush(), frameMs);
	}

	flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const waiting = this.#waiting;
		this.#waiting = undefined;
		if (waiting) this.#send(waiting);
	}
}

function join(first: ChatDelta, second: ChatDelta): ChatDelta {
	const text = (first.text ?? '') + (second.text ?? '');
	const reasoning = (first.reasoning ?? '') + (second.reasoning ?? '');
	const progress = second.progress ?? first.progress;
	return {
		...(text === '' ? {} : { text }),
		...(reasoning === '' ? {} : { reasoning }),
		...(progress ? { progress } : {}),
	};
}
