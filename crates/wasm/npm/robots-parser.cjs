// CommonJS users of robots-parser call the module itself.
module.exports = require('./dist/cjs/robots-parser.js').default;
module.exports.default = module.exports;
