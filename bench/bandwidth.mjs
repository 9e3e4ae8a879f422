/** Rough read bandwidth of one thread, for judging how near to the memory's limit decoding is. */

/** Best of a few passes over 256 MiB, in GB/s. */
export function readBandwidth() {
	const data = new Float64Array(32 << 20);
	data.fill(1);
	let best = 0;
	let sink = 0;
	for (let pass = 0; pass < 4; pass++) {
		const start = performance.now();
		// A stride of one cache line: every line is fetched, little is computed.
		for (let at = 0; at < data.length; at += 8) sink += data[at];
		best = Math.max(best, data.byteLength / 1e6 / (performance.now() - start));
	}
	return sink > 0 ? best : 0;
}
