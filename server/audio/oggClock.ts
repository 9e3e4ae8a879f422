/** When the sound of Ogg packets begins: the pages tell where the last of theirs ends. */

import type { OggPacket } from './oggPages.ts';
import type { MonoBlock } from './openedAudio.ts';
import type { TimedBlock } from './timeline.ts';

/** What became of a packet; `undefined` when it is damaged. */
export type JudgedPacket = MonoBlock | 'no sound' | undefined;

/** Sound waits for the position of its page, but no longer than this. */
const maxWaitingS = 8;

const lengthOf = ({ samples, sampleRateHz }: MonoBlock) => samples.length / sampleRateHz;

/** The clock of one stream. Holds the blocks of a page until its position is known. */
export class PageClock {
	readonly #secondsAt: (granule: bigint) => number;
	/** Where the stream begins in the recording. */
	readonly #startS: number;
	readonly #maxLostPages: number;
	#waiting: MonoBlock[] = [];
	#waitingS = 0;
	#isDamaged = false;
	#lostPages = 0;
	#lostS = 0;
	/** Seconds of the stream's clock at its beginning; known with the first position. */
	#zeroS: number | undefined;
	/** Where the sound so far ends. */
	endS: number;

	/** @param maxLostPages where more are missing before the first sound, the stream ran before. */
	constructor(
		{ secondsAt }: { readonly secondsAt: (granule: bigint) => number },
		startS: number,
		maxLostPages: number,
	) {
		this.#secondsAt = secondsAt;
		this.#startS = startS;
		this.#maxLostPages = maxLostPages;
		this.endS = startS;
	}

	/** Takes what was decoded of the next packet; gives the blocks whose time is known by it. */
	add(decoded: JudgedPacket, { granule, last, lostPages }: OggPacket): TimedBlock[] {
		this.#lostPages += lostPages;
		this.#isDamaged ||= decoded === undefined || lostPages > 0;
		if (typeof decoded === 'object') {
			this.#waiting.push(decoded);
			this.#waitingS += lengthOf(decoded);
		}
		if (granule !== undefined) return this.settle(granule, last);
		return this.#waitingS > maxWaitingS ? this.settle() : [];
	}

	/** Seconds that are missing because pages or packets are damaged, since the last call. */
	takeLostS(): number {
		const lostS = this.#lostS;
		this.#lostS = 0;
		return lostS;
	}

	/** The blocks that wait; they end at `granule`, or follow the ones before. */
	settle(granule?: bigint, last = false): TimedBlock[] {
		if (this.#waiting.length === 0) return [];
		let keptS = this.#waitingS;
		if (granule !== undefined) {
			const saidS = this.#secondsAt(granule) - this.#waitingS;
			const joined = this.#lostPages > this.#maxLostPages;
			this.#zeroS ??= joined ? saidS - (this.endS - this.#startS) : 0;
			const aheadS = this.#startS + saidS - this.#zeroS - this.endS;
			if (aheadS > 0) {
				if (this.#isDamaged) this.#lostS += aheadS;
				this.endS += aheadS;
			} else if (last && -aheadS < keptS) keptS += aheadS;
		}
		const untilS = this.endS + keptS;
		const timed = this.#waiting.map((block) => this.#place(block, untilS));
		this.#waiting = [];
		this.#waitingS = 0;
		this.#isDamaged = false;
		return timed;
	}

	/** The last packet may hold more than the recording. */
	#place({ samples, sampleRateHz }: MonoBlock, untilS: number): TimedBlock {
		const atS = this.endS;
		const kept = Math.min(samples.length, Math.max(0, Math.round((untilS - atS) * sampleRateHz)));
		this.endS += kept / sampleRateHz;
		return { samples: samples.subarray(0, kept), sampleRateHz, atS };
	}
}
