/**
 * The search for scales, in WebAssembly's vector instructions: it looks at every number a dozen times, and
 * a model has billions.
 */

import {
	type Code,
	compile,
	op,
	valueType as type,
	type ValueType,
	type WasmFunction,
	type WasmMemory,
} from './wasmAssembler.ts';

/**
 * Quantises numbers from `from` to `end`, whole blocks of `blockBytes` bytes, all addresses in the memory:
 * codes (bytes, or halves of bytes) to `codes`, a scale per block to `scales`, a zero point per block, a byte each,
 * to `points`. `tries` to `triesEnd` are what the scale of a block is divided by; `weights`: how much each
 * number counts. A block with numbers that are not finite has a scale that is not.
 */
export type BlockKernel = (
	from: number,
	end: number,
	codes: number,
	scales: number,
	points: number,
	blockBytes: number,
	tries: number,
	triesEnd: number,
	weights: number,
) => void;

/** Numbers per step of the inner loops: every block is a multiple. */
const step = 16;
const vectors = step / 4;
const each = (make: (index: number) => Code): Code =>
	Array.from({ length: vectors }, (_, index) => make(index));

const names = [
	// Parameters.
	...['from', 'end', 'codes', 'scales', 'points', 'blockBytes', 'tries', 'triesEnd', 'weights'],
	// Addresses: of a number of the block and its weight, behind the block, of a try.
	...['at', 'weight', 'blockEnd', 'next'],
	// Numbers: bounds, quantised units per number (of the block, of a try, of the best), zero point, sums, gain.
	...[
		'low',
		'high',
		'base',
		'factor',
		'bestFactor',
		'point',
		'products',
		'squares',
		'bestGain',
		'scale',
	],
	// Vectors: bounds of quantised numbers, sums, and what is worked on.
	...['lowest', 'highest', 'sumA', 'sumB', 'factors', 'x', 't', 'w', 't0', 't1', 't2', 't3'],
] as const;
type Name = (typeof names)[number];
const indexOf = new Map<string, number>(names.map((name, index) => [name, index]));
const local = (name: Name): number => indexOf.get(name) as number;
const get = (name: Name): Code => op.get(local(name));
const set = (name: Name, ...value: Code[]): Code => [value, op.set(local(name))];
const advance = (name: Name, bytes: Code): Code => set(name, get(name), bytes, op.add);

const parameters: readonly ValueType[] = Array.from({ length: 9 }, () => type.i32);
const locals: readonly ValueType[] = [
	...Array.from({ length: 4 }, () => type.i32),
	...Array.from({ length: 10 }, () => type.f32),
	...Array.from({ length: 12 }, () => type.v128),
];

/** Joins the four lanes of a vector; the result stands in all of them. */
const acrossLanes = (name: Name, join: Code): Code =>
	[
		[8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7],
		[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11],
	].map((lanes) => set(name, get(name), get(name), get(name), op.shuffle(lanes), join));

const lane0 = (name: Name): Code => [get(name), op.laneF32(0)];

/** Runs over the block, `step` numbers at a time. */
const overBlock = (weighted: boolean, body: Code): Code => [
	set('at', get('from')),
	op.loop(
		[body, advance('at', op.i32(4 * step)), weighted ? advance('weight', op.i32(4 * step)) : []],
		[get('at'), get('blockEnd'), op.lessUnsigned],
	),
];

/** Sets `low` ≤ 0 ≤ `high`, and `scale` to 0, or NaN where a number is not finite. */
const bounds: Code = [
	set('lowest', op.splat(0)),
	set('highest', op.splat(0)),
	set('sumA', op.splat(0)),
	overBlock(
		false,
		each((k) => [
			set('x', get('at'), op.loadVector(16 * k)),
			set('lowest', get('lowest'), get('x'), op.minVector),
			set('highest', get('highest'), get('x'), op.maxVector),
			set('sumA', get('sumA'), get('x'), op.splat(0), op.multiplyVector, op.addVector),
		]),
	),
	acrossLanes('lowest', op.minVector),
	acrossLanes('highest', op.maxVector),
	acrossLanes('sumA', op.addVector),
	set('low', lane0('lowest')),
	set('high', lane0('highest')),
	set('scale', lane0('sumA')),
];

/** `numerator / denominator`, or 0 where the denominator is not above 0. */
const quotient = (numerator: Code, denominator: Code): Code => [
	[numerator, denominator, op.divideF32],
	op.f32(0),
	[denominator, op.f32(0), op.greaterF32],
	op.select,
];

/** Sets `base` and `point`: the whole range fits, and 0 is one of the quantised numbers. */
const wholeRange = (levels: number): Code => [
	set('base', quotient(op.f32(levels), [get('high'), get('low'), op.subtractF32])),
	set('point', get('low'), op.negateF32, get('base'), op.multiplyF32, op.nearestF32),
];

/** Sets `base` and `point`: the number of largest magnitude becomes the lowest one. */
const aroundMiddle = (levels: number): Code => {
	const middle = (levels + 1) / 2;
	const isLow: Code = [get('low'), op.negateF32, get('high'), op.greaterF32];
	return [
		set(
			'base',
			quotient(op.f32(middle), [get('low'), op.negateF32]),
			quotient(op.f32(-middle), get('high')),
			isLow,
			op.select,
		),
		set('point', op.f32(middle)),
	];
};

/** Sets `target` to the quantised numbers of the vector at `at`, less the zero point; `x` to the numbers. */
const quantised = (target: Name, k: number): Code => [
	set('x', get('at'), op.loadVector(16 * k)),
	set(
		target,
		[get('highest'), get('x'), get('factors'), op.multiplyVector, op.nearestVector],
		// The bound where the number is NaN.
		[op.minVector, op.set(local(target)), get('lowest'), get(target), op.maxVector],
	),
];

/** Adds `x · t` to `sumA` and `t²` to `sumB`. */
const addSums = (t: Name, k: number, weighted: boolean): Code => {
	const weightedT: Code = weighted
		? [get('weight'), op.loadVector(16 * k), get(t), op.multiplyVector]
		: get(t);
	return [
		set('w', weightedT),
		set('sumA', get('sumA'), get('x'), get('w'), op.multiplyVector, op.addVector),
		set('sumB', get('sumB'), get(t), get('w'), op.multiplyVector, op.addVector),
	];
};

const startSums = (factor: Name, weighted: boolean): Code => [
	set('factors', get(factor), op.spread),
	set('sumA', op.splat(0)),
	set('sumB', op.splat(0)),
	weighted ? set('weight', get('weights')) : [],
];

const finishSums: Code = [
	acrossLanes('sumA', op.addVector),
	acrossLanes('sumB', op.addVector),
	set('products', lane0('sumA')),
	set('squares', lane0('sumB')),
];

/**
 * For quantised numbers t, the scale Σxt / Σt² is best, and takes (Σxt)² / Σt² off the error: the try with
 * the largest of these wins.
 */
const tryFactors = (weighted: boolean): Code => [
	set('bestGain', op.f32(0)),
	set('bestFactor', op.f32(0)),
	set('next', get('tries')),
	op.loop(
		[
			set('factor', get('base'), get('next'), op.loadF32(), op.multiplyF32),
			startSums('factor', weighted),
			overBlock(
				weighted,
				each((k) => [quantised('t', k), addSums('t', k, weighted)]),
			),
			finishSums,
			set('factor', [
				get('products'),
				get('products'),
				op.multiplyF32,
				get('squares'),
				op.divideF32,
			]),
			op.when(
				[get('factor'), get('bestGain'), op.greaterF32],
				[
					set('bestGain', get('factor')),
					set('scale', get('products'), get('squares'), op.divideF32),
					set('bestFactor', op.f32(1), get('scale'), op.divideF32),
				],
			),
			advance('next', op.i32(4)),
		],
		[get('next'), get('triesEnd'), op.lessUnsigned],
	),
];

const quarters = ['t0', 't1', 't2', 't3'] as const;

/** Writes the codes of the block with the best scale, and makes the scale the best one for these codes. */
const writeCodes = (bits: 4 | 8, weighted: boolean): Code => {
	const whole = (t: Name): Code => [
		[get(t), get('point'), op.spread, op.addVector],
		op.truncateVector,
	];
	return [
		startSums('bestFactor', weighted),
		overBlock(weighted, [
			quarters.map((t, k) => [quantised(t, k), addSums(t, k, weighted)]),
			set(
				'x',
				[whole('t0'), whole('t1'), op.narrow32],
				[whole('t2'), whole('t3'), op.narrow32],
				op.narrow16,
			),
			bits === 8
				? [get('codes'), get('x'), op.storeVector()]
				: [
						set(
							'x',
							[get('x'), get('x'), op.i32(4), op.shiftRight16, op.orVector],
							[op.i32(0x00ff00ff), op.spreadI32, op.andVector],
						),
						[get('codes'), get('x'), get('x'), op.narrow16, op.storeHalfVector()],
					],
			advance('codes', op.i32((step * bits) / 8)),
		]),
		finishSums,
		op.when(
			[get('squares'), op.f32(0), op.greaterF32],
			set('scale', get('products'), get('squares'), op.divideF32),
		),
	];
};

function kernel(bits: 4 | 8, asymmetric: boolean, weighted: boolean): WasmFunction {
	const levels = 2 ** bits - 1;
	return {
		parameters,
		results: [],
		locals,
		body: op.loop(
			[
				set('blockEnd', get('from'), get('blockBytes'), op.add),
				bounds,
				asymmetric ? wholeRange(levels) : aroundMiddle(levels),
				set('lowest', get('point'), op.negateF32, op.spread),
				set('highest', op.f32(levels), get('point'), op.subtractF32, op.spread),
				tryFactors(weighted),
				writeCodes(bits, weighted),
				[get('scales'), get('scale'), op.storeF32()],
				[get('points'), get('point'), op.truncateF32, op.storeByte()],
				advance('scales', op.i32(4)),
				advance('points', op.i32(1)),
				weighted ? advance('weights', get('blockBytes')) : [],
				set('from', get('blockEnd')),
			],
			[get('from'), get('end'), op.lessUnsigned],
		),
	};
}

/** By `bits`, whether there are zero points, and whether numbers have weights. */
export type KernelName = `${4 | 8}${'asymmetric' | 'symmetric'}${'' | 'Weighted'}`;

export interface BlockKernels {
	readonly memory: WasmMemory;
	readonly exports: Readonly<Record<KernelName, BlockKernel>>;
}

let compiled: BlockKernels | undefined;

export function blockKernels(): BlockKernels {
	if (compiled !== undefined) return compiled;
	const functions: Record<string, WasmFunction> = {};
	for (const bits of [4, 8] as const)
		for (const asymmetric of [true, false])
			for (const weighted of [true, false])
				functions[kernelName(bits, asymmetric, weighted)] = kernel(bits, asymmetric, weighted);
	compiled = compile<BlockKernels['exports']>(functions);
	return compiled;
}

export function kernelName(bits: 4 | 8, asymmetric: boolean, weighted: boolean): KernelName {
	return `${bits}${asymmetric ? 'asymmetric' : 'symmetric'}${weighted ? 'Weighted' : ''}`;
}
