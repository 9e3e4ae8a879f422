/**
 * What a model folder may decide about the sessions of ONNX Runtime. The library takes any option by
 * name, some of which are paths it writes to; so only those listed here reach it, with values of the
 * listed form: switches, choices and bounded whole numbers, never a path or other free text.
 */

import { AppError } from '../../protocol/index.ts';

/** Choices as texts, or the least and greatest whole number. */
type Allowed = readonly string[] | { readonly min: number; readonly max: number };

const onOff = ['0', '1'];

/** Spelled as in onnxruntime_session_options_config_keys.h. */
const allowed: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
	['session.disable_prepacking', onOff],
	['session.set_denormal_as_zero', onOff],
	['session.use_device_allocator_for_initializers', onOff],
	['session.disable_cpu_ep_fallback', onOff],
	['session.disable_aot_function_inlining', onOff],
	['session.strict_shape_type_inference', onOff],
	['session.intra_op.allow_spinning', onOff],
	['session.inter_op.allow_spinning', onOff],
	['session.force_spinning_stop', onOff],
	['session.dynamic_block_base', { min: 0, max: 1024 }],
	['session.disable_quant_qdq', onOff],
	['session.disable_double_qdq_remover', onOff],
	['session.disable_qdq_constant_folding', onOff],
	['session.enable_quant_qdq_cleanup', onOff],
	['session.qdqisint8allowed', onOff],
	['session.x64quantprecision', onOff],
	['session.enable_dq_matmulnbits_fusion', onOff],
	['session.qdq_matmulnbits_accuracy_level', { min: 0, max: 4 }],
	['session.qdq_matmulnbits_block_size', ['-1', '16', '32', '64', '128', '256']],
	['optimization.enable_gelu_approximation', onOff],
	['optimization.enable_cast_chain_elimination', onOff],
	['mlas.enable_gemm_fastmath_arm64_bfloat16', onOff],
	['mlas.use_lut_gemm', onOff],
	['mlas.disable_kleidiai', onOff],
]);

/** The text of an option's value as the library takes it; `undefined` when a model may not set it so. */
export function allowedValue(key: string, value: unknown): string | undefined {
	const form = allowed.get(key);
	if (form === undefined || !['string', 'number', 'boolean'].includes(typeof value))
		return undefined;
	const text = typeof value === 'boolean' ? String(Number(value)) : String(value);
	if ('min' in form) {
		const isWithin = /^\d{1,6}$/.test(text) && Number(text) >= form.min && Number(text) <= form.max;
		return isWithin ? text : undefined;
	}
	return form.includes(text) ? text : undefined;
}

/**
 * Under this, sums of products of bytes are exact on every processor: x64 without VNNI cuts off what two products have
 * beyond 16 bits unless asked not to, by up to a fifth of the largest logit. Where nothing is cut off it changes nothing.
 */
const exactSums = { 'session.x64quantprecision': '1' };

/**
 * The last check before the library: every entry is checked again, whatever the caller. What is not said is exact.
 * @throws AppError `internal` naming an option that is not allowed
 */
export function checkedConfig(
	config: Readonly<Record<string, string>> = {},
): (readonly [key: string, value: string])[] {
	return Object.entries({ ...exactSums, ...config }).map(([key, value]) => {
		const text = allowedValue(key, value);
		if (text !== undefined) return [key, text] as const;
		throw new AppError(
			'internal',
			`The session option ${JSON.stringify(key)} is not handed to ONNX Runtime with this value.`,
		);
	});
}
