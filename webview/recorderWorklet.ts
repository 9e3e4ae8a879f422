/** Runs in the browser's audio thread: gives the microphone's samples as 16-bit pieces of a tenth of a second. */

declare const sampleRate: number;
declare class AudioWorkletProcessor {
	readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class PieceProcessor extends AudioWorkletProcessor {
	#piece = new Int16Array(Math.round(sampleRate / 10));
	#filled = 0;

	/** Called for every 128 frames; `true` keeps the processor alive. */
	process(inputs: readonly (readonly Float32Array[])[]): boolean {
		const channels = inputs[0] ?? [];
		const frames = channels[0]?.length ?? 0;
		for (let i = 0; i < frames; i++) {
			let sum = 0;
			for (const channel of channels) sum += channel[i] ?? 0;
			const value = Math.round((sum / channels.length) * 32_768);
			this.#piece[this.#filled++] = Math.max(-32_768, Math.min(32_767, value));
			if (this.#filled === this.#piece.length) this.#send();
		}
		return true;
	}

	#send(): void {
		this.port.postMessage(this.#piece, [this.#piece.buffer]);
		this.#piece = new Int16Array(Math.round(sampleRate / 10));
		this.#filled = 0;
	}
}

registerProcessor('pieces', PieceProcessor);
