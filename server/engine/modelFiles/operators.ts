/** Operators ONNX Runtime's CPU provider runs, to name the others before a graph is loaded. */

/** Operators of the standard domain up to opset 24, training and text ones left out. */
const standard = new Set(
	`Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool
	BatchNormalization Bernoulli BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast
	CastLike Ceil Celu CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape
	Conv ConvInteger ConvTranspose Cos Cosh CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div Dropout
	DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements
	GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample
	GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If ImageDecoder
	InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Loop
	LpNormalization LpPool MatMul MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Mean
	MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Multinomial Neg NegativeLogLikelihoodLoss
	NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement OptionalHasElement Or PRelu Pad Pow
	QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform
	RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean
	ReduceMin ReduceProd ReduceSum ReduceSumSquare RegexFullMatch Relu Reshape Resize ReverseSequence RoiAlign
	RotaryEmbedding Round STFT Scan Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct
	SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap Shape Shrink Sigmoid Sign
	SimplifiedLayerNormalization Sin Sinh Size Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign
	SpaceToDepth Split SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub Sum Swish Tan
	Tanh TensorScatter TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample
	Where Xor`.split(/\s+/),
);

/** Contributed operators that only GPU providers have. */
const gpuOnly = new Set(
	`BiasAdd BiasSplitGelu CausalConvWithState DecoderAttention DecoderMaskedSelfAttention FusedMatMulActivation
	GatedRelativePositionBias GemmFloat8 GemmaRotaryEmbedding GroupNorm GroupQueryAttentionWithCache
	LongformerAttention NhwcConv PackedAttention PackedMultiHeadAttention PagedAttention QOrderedAttention
	QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention QOrderedMatMul
	QuantizeWithOrder DequantizeWithOrder RemovePadding RestorePadding SkipGroupNorm
	UnfoldTensor`.split(/\s+/),
);

const runtimeDomains = new Set([
	'ai.onnx.ml',
	'com.microsoft',
	'com.microsoft.nchwc',
	'com.ms.internal.nhwc',
]);

/**
 * Why the CPU provider cannot run an operator, as a sentence part; `undefined` when it can, as far as
 * names tell.
 * @param key `OpType` or `domain:OpType`
 * @param functions operators the model file defines itself
 */
export function operatorFault(key: string, functions: ReadonlySet<string>): string | undefined {
	if (functions.has(key)) return undefined;
	const colon = key.lastIndexOf(':');
	if (colon < 0) {
		return standard.has(key) ? undefined : `the operator ${key}, which ONNX does not define`;
	}
	const domain = key.slice(0, colon);
	const name = key.slice(colon + 1);
	if (domain === 'ai.onnx.contrib') {
		return `the operator ${name} of the ONNX Runtime extensions, which are not part of this program`;
	}
	if (!runtimeDomains.has(domain)) {
		return `the operator ${name} of the domain ${domain}, which ONNX Runtime does not have`;
	}
	if (name === 'EPContext') {
		return `the operator ${name}, which hands a compiled file to the driver of a device`;
	}
	return gpuOnly.has(name) ? `the operator ${name}, which only GPU providers have` : undefined;
}
