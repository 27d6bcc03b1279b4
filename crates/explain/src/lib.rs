//! `#[derive(Explain)]`: the code, the value and the hint of an error, read from the message that thiserror displays.
//!
//! ```ignore
//! #[derive(Debug, thiserror::Error, Explain)]
//! #[explain(prefix = "store")]
//! enum StoreError {
//!     /// Code `store_missing`, value the path, hint "run `pipeline ingest` first".
//!     #[error("no store at {path}; run `pipeline ingest` first")]
//!     Missing { path: PathBuf },
//! }
//! ```
//!
//! - The code is the prefix and the variant's name in snake case; `code = "…"` names another, for a variant or for all.
//! - The value is the first of the fields `path` and `source_id` that the variant has; `values(a, b)` on the type names
//!   other fields, and `value = EXPR` on the variant gives any value.
//! - The hint is what follows the last `; ` of the message, which may name fields and constants, but takes no argument;
//!   `hint = EXPR` gives another, `no_hint` says that this part is no hint.
//! - `from = EXPR` takes from another error what the variant does not give itself. `#[error(transparent)]` does so
//!   without being told, unless it has a `code`.
//!
//! In an expression the fields are bound by name, that of a tuple variant as `inner`.
//!
//! The crate knows only Rust's syntax: the trait is `types::Explain`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, LitStr, Result, Token, Type, Variant,
    parse_quote, punctuated::Punctuated,
};

/// Implements `types::Explain` for an error; the crate's documentation lists the attributes.
#[proc_macro_derive(Explain, attributes(explain, error))]
pub fn derive_explain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    implement(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "Explain can be derived for an enum only"));
    };
    let shared = Options::read(&input.attrs)?;
    let (mut codes, mut values, mut hints) = (Vec::new(), Vec::new(), Vec::new());
    for variant in &data.variants {
        let pattern = pattern(variant)?;
        let [code, value, hint] = parts(variant, &shared)?;
        codes.push(quote!(#pattern => #code));
        values.push(quote!(#pattern => #value));
        hints.push(quote!(#pattern => #hint));
    }
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, clippy::pedantic)]
        const _: () = {
            use ::types::Explain;

            impl Explain for #name {
                fn code(&self) -> &'static str {
                    match self { #(#codes,)* }
                }
                fn value(&self) -> ::std::option::Option<::std::string::String> {
                    match self { #(#values,)* }
                }
                fn hint(&self) -> ::std::option::Option<::std::string::String> {
                    match self { #(#hints,)* }
                }
            }
        };
    })
}

/// A variant with all its fields bound.
fn pattern(variant: &Variant) -> Result<TokenStream> {
    let name = &variant.ident;
    Ok(match &variant.fields {
        Fields::Unit => quote!(Self::#name),
        Fields::Named(fields) => {
            let fields = fields.named.iter().map(|field| &field.ident);
            quote!(Self::#name { #(#fields),* })
        }
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let inner: Ident = parse_quote!(inner);
            quote!(Self::#name(#inner))
        }
        Fields::Unnamed(fields) => {
            return Err(Error::new_spanned(fields, "name the fields, or have a single one"));
        }
    })
}

/// The expressions for code, value and hint of a variant.
fn parts(variant: &Variant, shared: &Options) -> Result<[TokenStream; 3]> {
    let own = Options::read(&variant.attrs)?;
    let message = Message::read(&variant.attrs)?;
    let from = match (own.from, &message) {
        (None, Message::Transparent) if own.code.is_none() => Some(parse_quote!(inner)),
        (from, _) => from,
    };
    let code = match (&own.code, &from, &shared.code) {
        (Some(code), _, _) | (None, None, Some(code)) => quote!(#code),
        (None, Some(from), _) => quote!((#from).code()),
        (None, None, None) => {
            let mut code = shared.prefix.as_ref().map(LitStr::value).unwrap_or_default();
            for c in variant.ident.to_string().chars() {
                if c.is_uppercase() && !code.is_empty() {
                    code.push('_');
                }
                code.extend(c.to_lowercase());
            }
            quote!(#code)
        }
    };
    let value = match (own.value, shared.value_of(&variant.fields), &from) {
        (Some(value), _, _) => quote!(Some((#value).to_string())),
        (None, Some(value), _) => quote!(Some(#value)),
        (None, None, Some(from)) => quote!((#from).value()),
        (None, None, None) => quote!(None),
    };
    let hint = match (own.hint, from, message) {
        (Some(hint), _, _) => quote!(Some((#hint).to_string())),
        (None, Some(from), _) => quote!((#from).hint()),
        (None, None, Message::Text(text)) if !own.no_hint => {
            let hint = text.value().rsplit_once("; ").map(|(_, hint)| LitStr::new(hint, text.span()));
            hint.map_or(quote!(None), |hint| quote!(Some(format!(#hint))))
        }
        _ => quote!(None),
    };
    Ok([code, value, hint])
}

/// What thiserror displays.
enum Message {
    Transparent,
    Text(LitStr),
    Other,
}

impl Message {
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let Some(attribute) = attributes.iter().find(|a| a.path().is_ident("error")) else {
            return Ok(Self::Other);
        };
        attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let text = input.peek(LitStr).then(|| input.parse()).transpose()?;
            let rest: TokenStream = input.parse()?;
            Ok(match text {
                Some(text) => Self::Text(text),
                None if rest.to_string() == "transparent" => Self::Transparent,
                None => Self::Other,
            })
        })
    }
}

/// The content of `#[explain(…)]`, of the type or of a variant.
#[derive(Default)]
struct Options {
    prefix: Option<LitStr>,
    values: Option<Punctuated<Ident, Token![,]>>,
    code: Option<LitStr>,
    value: Option<Expr>,
    hint: Option<Expr>,
    from: Option<Expr>,
    no_hint: bool,
}

impl Options {
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("explain")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?.to_string();
                match name.as_str() {
                    "prefix" => options.prefix = Some(meta.value()?.parse()?),
                    "code" => options.code = Some(meta.value()?.parse()?),
                    "value" => options.value = Some(meta.value()?.parse()?),
                    "hint" => options.hint = Some(meta.value()?.parse()?),
                    "from" => options.from = Some(meta.value()?.parse()?),
                    "no_hint" => options.no_hint = true,
                    "values" => {
                        let names;
                        syn::parenthesized!(names in meta.input);
                        options.values = Some(Punctuated::parse_terminated(&names)?);
                    }
                    _ => return Err(meta.error("no such option of Explain")),
                }
                Ok(())
            })?;
        }
        Ok(options)
    }

    /// The text of the first field that is listed as a value; the default list is `path`, `source_id`.
    fn value_of(&self, fields: &Fields) -> Option<TokenStream> {
        let listed: Vec<String> = match &self.values {
            Some(names) => names.iter().map(ToString::to_string).collect(),
            None => ["path", "source_id"].map(str::to_owned).to_vec(),
        };
        let named = |name: &String| fields.iter().find(|f| f.ident.as_ref().is_some_and(|i| i == name));
        let Field { ident, ty, .. } = listed.iter().find_map(named)?;
        let is_path =
            matches!(ty, Type::Path(ty) if ty.path.segments.last().is_some_and(|s| s.ident == "PathBuf"));
        Some(if is_path { quote!(::types::path_text::shown(#ident)) } else { quote!(#ident.to_string()) })
    }
}
