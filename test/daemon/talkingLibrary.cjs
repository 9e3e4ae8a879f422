// ONNX Runtime as others load it, its telemetry on: shows that the trap catches it. What it sends is
// kept from leaving the process by the tracer. Ends with standard input.
const { InferenceSession } = require('onnxruntime-node');

InferenceSession.create(process.argv[2]);
process.stdin.resume().on('end', () => process.exit());
