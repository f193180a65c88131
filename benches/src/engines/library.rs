//! What there is to say about a library that knows one body at a time.

use crate::corpus::Form;

/// One way of asking one library.
pub(crate) trait Library {
    /// One body, ready to be asked for one crawler.
    type Ready;

    /// How it is asked.
    const FORM: Form;
    /// Is there a step from bytes to what can be asked for any crawler?
    const PARSES: bool = true;
    /// Is there a step from bytes to what is ready for one crawler?
    const COMPILES: bool = true;

    /// Makes a body ready; none when the library refuses it.
    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready>;

    /// Parses a body and drops what that gives.
    fn parse(&mut self, _body: &'static [u8]) {}

    /// Makes a body ready and drops that.
    fn compile(&mut self, body: &'static [u8]) {
        std::hint::black_box(self.ready(body));
    }

    /// May the crawler fetch what `question`, in this library's form, names?
    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool;
}
