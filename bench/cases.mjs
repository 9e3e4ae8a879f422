/**
 * What is measured, and who takes part. The first entry of a case is ours; ratios are against it.
 * A bar says how many times as good as another entry ours has to be.
 */

const ours = { worker: 'workers/ours.ts' };
const plainLoop = { name: 'plain session.run loop', worker: 'workers/plainLoop.ts' };
const transformers = { name: 'transformers.js', worker: 'workers/transformers.mjs', peer: true };
const transformersSeq2Seq = {
	name: 'transformers.js',
	worker: 'workers/transformersSeq2Seq.mjs',
	peer: true,
};
const llama = { name: 'llama.cpp (node-llama-cpp, Q4_0)', worker: 'workers/llama.mjs', peer: true };
const llamaStreams = 'llama.cpp, 8 sequences';
const fallBack = { name: 'session.run fall-back', worker: 'workers/ours.ts' };
const quiet = { speculation: false };

const decode = (context) => ({ task: { kind: 'decode', context, tokens: 32 } });

const step = (streams) => ({ kind: 'step', streams });

export const cases = [
	{
		name: 'decode128',
		title: 'Decode, 0.5B int4, context 128',
		unit: 'tokens/s',
		bytesPerToken: 312e6,
		bars: [
			{ against: transformers.name, atLeast: 1.25 },
			{ against: llama.name, atLeast: 0.75 },
		],
		entries: [
			{ name: 'nearglot, block 32', ...ours, load: { block: 32, ...quiet }, ...decode(128) },
			{ ...transformers, load: { block: 32 }, ...decode(128) },
			{ ...plainLoop, load: { block: 32 }, ...decode(128) },
			{ ...llama, ...decode(128) },
		],
	},
	{
		name: 'decodeBuilt',
		title: 'Decode, 0.5B, the same Q4_0 file, context 128',
		unit: 'tokens/s',
		bytesPerToken: 312e6,
		bars: [{ against: llama.name, atLeast: 1.3 }],
		entries: [
			{ name: 'nearglot, built', ...ours, load: { built: true, ...quiet }, ...decode(128) },
			{
				name: 'nearglot, built, without own products',
				...ours,
				env: { NEARGLOT_KERNEL: 'off' },
				load: { built: true, ...quiet },
				...decode(128),
			},
			{ ...llama, ...decode(128) },
		],
	},
	{
		name: 'decode128b128',
		title: 'Decode, 0.5B int4, context 128, blocks of 128',
		unit: 'tokens/s',
		bytesPerToken: 266e6,
		bars: [{ against: llama.name, atLeast: 1 }],
		entries: [
			{ name: 'nearglot, block 128', ...ours, load: { block: 128, ...quiet }, ...decode(128) },
			{ ...llama, ...decode(128) },
		],
	},
	{
		name: 'decode2048',
		title: 'Decode, 0.5B int4, context 2048',
		unit: 'tokens/s',
		bytesPerToken: 362e6,
		bars: [
			{ against: plainLoop.name, atLeast: 1.45 },
			{ against: llama.name, atLeast: 1.3 },
		],
		entries: [
			{ name: 'nearglot, block 32', ...ours, load: { block: 32, ...quiet }, ...decode(2048) },
			{ ...plainLoop, load: { block: 32 }, ...decode(2048) },
			{ ...llama, ...decode(2048) },
		],
	},
	{
		name: 'prefill512',
		title: 'Prefill of 512 tokens, 0.5B int4',
		unit: 'tokens/s',
		bars: [
			{ against: transformers.name, atLeast: 1.3 },
			{ against: llama.name, atLeast: 1.5 },
		],
		entries: [
			{
				name: 'nearglot, block 32',
				...ours,
				load: { block: 32, ...quiet },
				task: { kind: 'prefill', context: 512 },
			},
			{ ...transformers, load: { block: 32 }, task: { kind: 'prefill', context: 512 } },
			{ ...llama, task: { kind: 'prefill', context: 512 } },
			{ ...plainLoop, load: { block: 32 }, task: { kind: 'prefill', context: 512 } },
		],
	},
	{
		name: 'streams',
		title: 'Total of 8, 4, 2 streams and 1, 0.5B int4',
		unit: 'tokens/s',
		bars: [{ against: '1 stream', atLeast: 2.8 }],
		entries: [
			...[8, 1, 2, 4].map((streams) => ({
				name: `${streams} stream${streams > 1 ? 's' : ''}`,
				...ours,
				load: { block: 32, ...quiet },
				task: { kind: 'streams', streams, context: 32, tokens: 24 },
			})),
			{
				...llama,
				name: llamaStreams,
				load: { sequences: 8 },
				task: { kind: 'streams', streams: 8, context: 32, tokens: 24 },
			},
		],
	},
	{
		name: 'streamsInt8',
		title: 'Total of 8 streams and 1, 0.5B int8',
		unit: 'tokens/s',
		bars: [{ against: '1 stream', atLeast: 2.8 }],
		entries: [8, 1].map((streams) => ({
			name: `${streams} stream${streams > 1 ? 's' : ''}`,
			...ours,
			load: { int8: true, ...quiet },
			task: { kind: 'streams', streams, context: 32, tokens: 24 },
		})),
	},
	{
		name: 'streamsDecode',
		title: '8 streams and 1 after their prompts, answers of 96 tokens, 0.5B int4',
		unit: 'tokens/s',
		bars: [
			{ against: '1 stream', atLeast: 3.5 },
			{ against: llamaStreams, atLeast: 3 },
		],
		entries: [
			...[8, 1].map((streams) => ({
				name: `${streams} stream${streams > 1 ? 's' : ''}`,
				...ours,
				load: { block: 32, ...quiet },
				task: { kind: 'streams', streams, context: 32, tokens: 96, decodeOnly: true },
			})),
			{
				...llama,
				name: llamaStreams,
				load: { sequences: 8 },
				task: { kind: 'streams', streams: 8, context: 32, tokens: 96, decodeOnly: true },
			},
		],
	},
	{
		name: 'lookup',
		title: 'An answer that repeats 80 % of its prompt',
		unit: 'tokens/s',
		bars: [{ against: 'without', atLeast: 1.6 }],
		entries: [
			{
				name: 'with prompt lookup',
				...ours,
				load: { block: 32, speculation: true },
				task: { kind: 'edit' },
			},
			{ name: 'without', ...ours, load: { block: 32, ...quiet }, task: { kind: 'edit' } },
		],
	},
	{
		name: 'chatTurn',
		title: 'Second chat turn, 2,000 tokens of history + 20 new: time to first token',
		unit: 'ms',
		lowerIsBetter: true,
		bars: [{ against: 'read anew', atLeast: 15 }],
		entries: [
			{
				name: 'prefix reused',
				...ours,
				load: { block: 32, ...quiet },
				task: { kind: 'turn', reuse: true },
			},
			{
				name: 'read anew',
				...ours,
				load: { block: 32, ...quiet, prefixCache: false },
				task: { kind: 'turn', reuse: false },
			},
		],
	},
	{
		name: 'translate',
		title: 'Translation, Marian shape int4, 32 short sentences',
		unit: 'sentences/s',
		bars: [{ against: 'one by one', atLeast: 4 }],
		entries: [
			{
				name: 'arriving together',
				...ours,
				load: { translation: true },
				task: { kind: 'translate', together: true },
			},
			{
				name: 'one by one',
				...ours,
				load: { translation: true },
				task: { kind: 'translate', together: false },
			},
			{ ...transformersSeq2Seq, load: {}, task: { kind: 'translate' } },
		],
	},
	{
		name: 'translateInt8',
		title: 'Translation, Marian shape int8, 32 short sentences',
		unit: 'sentences/s',
		bars: [{ against: 'one by one', atLeast: 4 }],
		entries: [
			{
				name: 'arriving together',
				...ours,
				load: { translation: true, int8: true },
				task: { kind: 'translate', together: true },
			},
			{
				name: 'one by one',
				...ours,
				load: { translation: true, int8: true },
				task: { kind: 'translate', together: false },
			},
		],
	},
	{
		name: 'translateOne',
		title: 'Translation, Marian shape int4, one sentence at a time',
		unit: 'sentences/s',
		entries: [
			{ name: 'nearglot', ...ours, load: { translation: true }, task: { kind: 'translateOne' } },
			{
				name: 'nearglot, shortlist',
				...ours,
				load: { translation: true, shortlist: true },
				task: { kind: 'translateOne' },
			},
			{
				...fallBack,
				load: { translation: true, plainRuntime: true },
				task: { kind: 'translateOne' },
			},
			{ ...transformersSeq2Seq, load: {}, task: { kind: 'translateOne' } },
		],
	},
	{
		name: 'translateShortlist',
		title: 'Translation, Marian shape int4, 32 short sentences together',
		unit: 'sentences/s',
		entries: [
			{
				name: 'with a shortlist',
				...ours,
				load: { translation: true, shortlist: true },
				task: { kind: 'translate', together: true },
			},
			{
				name: 'over all words',
				...ours,
				load: { translation: true },
				task: { kind: 'translate', together: true },
			},
		],
	},
	{
		name: 'whisperEncoder',
		title: 'Whisper base, int4: encoder of a 30 s window',
		unit: 'ms',
		lowerIsBetter: true,
		entries: [
			{ name: 'nearglot', ...ours, load: { whisper: true }, task: { kind: 'encoder' } },
			{ ...fallBack, load: { whisper: true, plainRuntime: true }, task: { kind: 'encoder' } },
			{ ...transformersSeq2Seq, load: { whisper: true }, task: { kind: 'encoder' } },
		],
	},
	{
		name: 'whisperStep',
		title: 'Whisper base, int4: decoder step, per window',
		unit: 'ms',
		lowerIsBetter: true,
		entries: [
			{ name: 'nearglot, 8 windows', ...ours, load: { whisper: true }, task: step(8) },
			{ name: 'nearglot, 1 window', ...ours, load: { whisper: true }, task: step(1) },
			{ ...fallBack, load: { whisper: true, plainRuntime: true }, task: step(1) },
			{ ...transformersSeq2Seq, load: { whisper: true }, task: step(1) },
		],
	},
];
