/** bergamot-translator's WebAssembly, as Firefox's extension had it: another implementation to compare students with. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';

interface Disposable {
	delete(): void;
}
interface VectorOf<T> extends Disposable {
	push_back(value: T): void;
	get(index: number): { getTranslatedText(): string } & Disposable;
}
interface Module {
	asm: Record<string, (...args: unknown[]) => unknown>;
	AlignedMemory: new (bytes: number, alignment: number) => { getByteArrayView(): Int8Array };
	AlignedMemoryList: new () => VectorOf<unknown>;
	VectorString: new () => VectorOf<string>;
	VectorResponseOptions: new () => VectorOf<Record<string, boolean>>;
	BlockingService: new (options: {
		cacheSize: number;
	}) => {
		translate(model: unknown, texts: unknown, options: unknown): VectorOf<unknown>;
	};
	TranslationModel: new (
		config: string,
		model: unknown,
		shortlist: unknown,
		vocabularies: unknown,
		quality: unknown,
	) => Disposable;
	instantiateWasm(info: WebAssembly.Imports, accept: (made: WebAssembly.Instance) => void): object;
	onRuntimeInitialized(): void;
	print(): void;
	printErr(): void;
}

const products = {
	int8_prepare_a: 'int8PrepareAFallback',
	int8_prepare_b: 'int8PrepareBFallback',
	int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
	int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
	int8_prepare_bias: 'int8PrepareBiasFallback',
	int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
	int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

/** A module of its own for each model: its memory is never given back. */
async function load(): Promise<Module> {
	const resolve = createRequire(import.meta.url).resolve;
	const script = resolve('@browsermt/bergamot-translator/worker/bergamot-translator-worker.js');
	const wasm = new Uint8Array(readFileSync(script.replace(/\.js$/, '.wasm')));
	const { promise, resolve: ready } = Promise.withResolvers<void>();
	const module: Partial<Module> = {
		print: () => {},
		printErr: () => {},
		onRuntimeInitialized: ready,
		instantiateWasm: (info, accept) => {
			const own = Object.fromEntries(
				Object.entries(products).map(([name, fallback]) => [
					name,
					(...args: unknown[]) => (module as Module).asm[fallback]?.(...args),
				]),
			);
			void WebAssembly.instantiate(wasm, { ...info, wasm_gemm: own }).then((made) =>
				accept(made.instance),
			);
			return {};
		},
	};
	const code = readFileSync(script, 'utf8');
	const run = runInThisContext(`(function (Module) {${code}\n})`) as (module: unknown) => void;
	run(module);
	await promise;
	return module as Module;
}

export interface BergamotFiles {
	readonly model: Uint8Array;
	readonly shortlist?: Uint8Array;
	/** One for both sides, or two. */
	readonly vocabularies: readonly Uint8Array[];
}

/** Translates lines together; each is one sentence. */
export async function openBergamot(
	files: BergamotFiles,
): Promise<(lines: readonly string[]) => string[]> {
	const module = await load();
	const memory = (bytes: Uint8Array, alignment: number) => {
		const made = new module.AlignedMemory(bytes.length, alignment);
		made.getByteArrayView().set(bytes);
		return made;
	};
	const vocabularies = new module.AlignedMemoryList();
	for (const bytes of files.vocabularies) vocabularies.push_back(memory(bytes, 64));
	const config = {
		'beam-size': 1,
		normalize: '1.0',
		'word-penalty': 0,
		'cpu-threads': 0,
		'gemm-precision': 'int8shiftAlphaAll',
		'skip-cost': true,
		alignment: 'soft',
		quiet: true,
		'quiet-translation': true,
		'max-length-break': 128,
		'mini-batch-words': 1024,
		workspace: 128,
		'max-length-factor': '2.0',
	};
	const model = new module.TranslationModel(
		Object.entries(config)
			.map(([key, value]) => `${key}: ${value}\n`)
			.join(''),
		memory(files.model, 256),
		files.shortlist === undefined ? null : memory(files.shortlist, 64),
		vocabularies,
		null,
	);
	const service = new module.BlockingService({ cacheSize: 0 });
	return (lines) => {
		const texts = new module.VectorString();
		const options = new module.VectorResponseOptions();
		for (const line of lines) {
			texts.push_back(line);
			options.push_back({ alignment: false, html: false, qualityScores: false });
		}
		const responses = service.translate(model, texts, options);
		const found = lines.map((_, index) => {
			const response = responses.get(index);
			const text = response.getTranslatedText();
			response.delete();
			return text;
		});
		for (const one of [texts, options, responses]) one.delete();
		return found;
	};
}
