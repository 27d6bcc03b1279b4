//! The collections, and the calls on them.

use crate::{
    QdrantError, QdrantSettings, Quantisation,
    client::Client,
    error::Result,
    wire::{fields, vectors},
};
use qdrant_client::qdrant::{
    BinaryQuantization, CountPoints, CreateCollection, CreateFieldIndexCollection, DeletePoints, Distance,
    FieldType, Filter, GetPoints, HnswConfigDiff, MultiVectorComparator, MultiVectorConfig, PointId,
    PointStruct, PointVectors, PointsSelector, QuantizationType, QueryPoints, RetrievedPoint,
    ScalarQuantization, ScoredPoint, ScrollPoints, SetPayloadPoints, SparseIndexConfig, SparseVectorConfig,
    SparseVectorParams, UpdateMode, UpdatePointVectors, UpsertPoints, VectorParams, VectorParamsMap,
    VectorsConfig, quantization_config::Quantization, vectors_config,
};
use std::{collections::HashMap, sync::Arc};

/// The vector of a chunk's windows.
pub(crate) const WINDOWS: &str = "windows";
/// The vectors of its words; a generation uses one of them.
pub(crate) const WORDS: [&str; 2] = ["words_a", "words_b"];
/// Points that are read in one call.
const PAGE: u32 = 256;

/// The collections of an index.
#[derive(Clone)]
pub(crate) struct Collections {
    pub(crate) client: Client,
    pub(crate) settings: Arc<QdrantSettings>,
    pub(crate) chunks: Collection,
    pub(crate) sources: Collection,
    pub(crate) meta: Collection,
}

/// A collection.
#[derive(Clone)]
pub(crate) struct Collection {
    client: Client,
    name: Arc<str>,
}

impl Collections {
    pub(crate) fn new(settings: QdrantSettings) -> Result<Self> {
        let client = Client::new(&settings)?;
        let named = |end: &str| Collection {
            client: client.clone(),
            name: format!("{}{end}", settings.collection).into(),
        };
        let (chunks, sources, meta) = (named(""), named("_sources"), named("_meta"));
        Ok(Self { client, settings: Arc::new(settings), chunks, sources, meta })
    }

    /// Whether there is an index: the last collection that is made is there.
    pub(crate) async fn exist(&self) -> Result<bool> {
        self.meta.exists().await
    }

    /// Makes what is missing, with its payload indexes, for vectors of this dimension.
    pub(crate) async fn create(&self, dimension: usize) -> Result<()> {
        let keyword = |name| (name, FieldType::Keyword);
        let integer = |name| (name, FieldType::Integer);
        let born = [integer("born"), integer("died"), keyword("source"), keyword("tags"), integer("year")];
        let of_chunk = [keyword("chunk"), keyword("section"), integer("ordinal")];
        self.chunks.create(self.chunks_config(dimension), &[&born[..], &of_chunk].concat()).await?;
        self.sources
            .create(self.config(), &[&born[..], &[keyword("words"), integer("kept")]].concat())
            .await?;
        let of_meta =
            [keyword("kind"), keyword("first"), integer("letters"), keyword("keys"), integer("generation")];
        self.meta.create(self.config(), &of_meta).await
    }

    /// A collection without vectors.
    #[expect(deprecated, reason = "servers before 1.20 know the setting by no other name")]
    fn config(&self) -> CreateCollection {
        CreateCollection {
            shard_number: Some(self.settings.shards),
            replication_factor: Some(self.settings.replicas),
            on_disk_payload: Some(true),
            vectors_config: Some(VectorsConfig {
                config: Some(vectors_config::Config::ParamsMap(VectorParamsMap::default())),
            }),
            ..CreateCollection::default()
        }
    }

    #[expect(deprecated, reason = "as above")]
    fn chunks_config(&self, dimension: usize) -> CreateCollection {
        let windows = VectorParams {
            size: dimension as u64,
            distance: Distance::Dot.into(),
            on_disk: Some(self.settings.on_disk),
            // A graph over multivectors misses chunks (docs/scale.md), and takes long to build.
            hnsw_config: Some(HnswConfigDiff { m: Some(0), ..HnswConfigDiff::default() }),
            multivector_config: Some(MultiVectorConfig { comparator: MultiVectorComparator::MaxSim.into() }),
            ..VectorParams::default()
        };
        let index =
            SparseIndexConfig { on_disk: Some(self.settings.on_disk), ..SparseIndexConfig::default() };
        let words = SparseVectorParams { index: Some(index), modifier: None };
        // What is compared first is in memory, the vectors themselves are read for few.
        let quantisation = match self.settings.quantisation {
            Quantisation::None => None,
            Quantisation::Scalar => Some(Quantization::Scalar(ScalarQuantization {
                r#type: QuantizationType::Int8.into(),
                always_ram: Some(true),
                ..ScalarQuantization::default()
            })),
            Quantisation::Binary => {
                let always_ram = Some(true);
                Some(Quantization::Binary(BinaryQuantization { always_ram, ..BinaryQuantization::default() }))
            }
        };
        CreateCollection {
            vectors_config: Some(VectorsConfig {
                config: Some(vectors_config::Config::ParamsMap(VectorParamsMap {
                    map: HashMap::from([(WINDOWS.to_owned(), windows)]),
                })),
            }),
            sparse_vectors_config: Some(SparseVectorConfig {
                map: WORDS.map(|name| (name.to_owned(), words)).into_iter().collect(),
            }),
            quantization_config: quantisation.map(Into::into),
            ..self.config()
        }
    }
}

impl Collection {
    fn name(&self) -> String {
        self.name.to_string()
    }

    pub(crate) async fn exists(&self) -> Result<bool> {
        let name = self.name();
        self.client
            .read(
                "whether a collection is there",
                name,
                |q, name| async move { q.collection_exists(name).await },
            )
            .await
    }

    async fn create(&self, config: CreateCollection, indexes: &[(&'static str, FieldType)]) -> Result<()> {
        let config = CreateCollection { collection_name: self.name(), ..config };
        if !self.exists().await? {
            let made = self.client.write("making a collection", config, |q, config| async move {
                q.create_collection(config).await
            });
            match made.await {
                Ok(_) => {}
                // Another part makes it too.
                Err(_) if self.exists().await? => {}
                Err(error) => return Err(error),
            }
        }
        for (field, kind) in indexes {
            let request = CreateFieldIndexCollection {
                collection_name: self.name(),
                wait: Some(true),
                field_name: (*field).to_owned(),
                field_type: Some((*kind).into()),
                ..CreateFieldIndexCollection::default()
            };
            self.client
                .write("making a payload index", request, |q, request| async move {
                    q.create_field_index(request).await
                })
                .await?;
        }
        Ok(())
    }

    /// Segments of the engine, all shards together.
    pub(crate) async fn segments(&self) -> Result<u64> {
        let name = self.name();
        let info = self
            .client
            .read("what a collection holds", name, |q, name| async move { q.collection_info(name).await });
        Ok(info.await?.result.map_or(0, |info| info.segments_count))
    }

    /// Writes points, whole: what an id held before is replaced. Returns once they are stored.
    pub(crate) async fn upsert(&self, points: Vec<PointStruct>) -> Result<()> {
        self.upsert_as(points, UpdateMode::Upsert, None).await
    }

    /// Writes the points whose ids are not taken.
    pub(crate) async fn insert(&self, points: Vec<PointStruct>) -> Result<()> {
        self.upsert_as(points, UpdateMode::InsertOnly, None).await
    }

    /// As [`Self::upsert`]; what is there is replaced only where `condition` holds.
    pub(crate) async fn replace_if(&self, point: PointStruct, condition: Filter) -> Result<()> {
        self.upsert_as(vec![point], UpdateMode::Upsert, Some(condition)).await
    }

    async fn upsert_as(
        &self,
        points: Vec<PointStruct>,
        mode: UpdateMode,
        update_filter: Option<Filter>,
    ) -> Result<()> {
        if points.is_empty() {
            return Ok(());
        }
        let request = UpsertPoints {
            collection_name: self.name(),
            wait: Some(true),
            points,
            update_filter,
            update_mode: Some(mode.into()),
            ..UpsertPoints::default()
        };
        self.client
            .write("writing points", request, |q, request| async move { q.upsert_points(request).await })
            .await
            .map(drop)
    }

    /// Replaces some vectors of points that are there.
    pub(crate) async fn update_vectors(&self, points: Vec<PointVectors>) -> Result<()> {
        let request = UpdatePointVectors {
            collection_name: self.name(),
            wait: Some(true),
            points,
            ..UpdatePointVectors::default()
        };
        self.client
            .write("writing weights", request, |q, request| async move { q.update_vectors(request).await })
            .await
            .map(drop)
    }

    /// Sets fields of the points that a filter finds.
    pub(crate) async fn set(&self, filter: Filter, fields: crate::wire::Fields) -> Result<()> {
        let request = SetPayloadPoints {
            collection_name: self.name(),
            wait: Some(true),
            payload: fields,
            points_selector: Some(PointsSelector::from(filter)),
            ..SetPayloadPoints::default()
        };
        self.client
            .write("marking points", request, |q, request| async move { q.set_payload(request).await })
            .await
            .map(drop)
    }

    /// Deletes points, given by ids or a filter.
    pub(crate) async fn delete(&self, points: impl Into<PointsSelector>) -> Result<()> {
        let request = DeletePoints {
            collection_name: self.name(),
            wait: Some(true),
            points: Some(points.into()),
            ..DeletePoints::default()
        };
        self.client
            .write("deleting points", request, |q, request| async move { q.delete_points(request).await })
            .await
            .map(drop)
    }

    /// The points of these ids that are there, in any order.
    pub(crate) async fn get(&self, ids: Vec<PointId>) -> Result<Vec<RetrievedPoint>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let request = GetPoints {
            collection_name: self.name(),
            ids,
            with_payload: Some(true.into()),
            with_vectors: Some(vectors(&[])),
            ..GetPoints::default()
        };
        let found = self
            .client
            .read("reading points", request, |q, request| async move { q.get_points(request).await });
        Ok(found.await?.result)
    }

    /// The points that a filter finds, with these fields and vectors; `each` is given them page by page, and says whether to go
    /// on.
    pub(crate) async fn scroll(
        &self,
        filter: Filter,
        names: &[&str],
        with: &[&str],
        mut each: impl FnMut(Vec<RetrievedPoint>) -> Result<bool>,
    ) -> Result<()> {
        let mut pages = self.pages(filter, names, with);
        while let Some(page) = pages.next().await? {
            if !each(page)? {
                break;
            }
        }
        Ok(())
    }

    /// All points that a filter finds.
    pub(crate) async fn all(
        &self,
        filter: Filter,
        names: &[&str],
        with: &[&str],
    ) -> Result<Vec<RetrievedPoint>> {
        let mut found = Vec::new();
        self.scroll(filter, names, with, |page| {
            found.extend(page);
            Ok(true)
        })
        .await?;
        Ok(found)
    }

    /// The points that a filter finds, page by page.
    pub(crate) fn pages(&self, filter: Filter, names: &[&str], with: &[&str]) -> Pages {
        let request = ScrollPoints {
            collection_name: self.name(),
            filter: Some(filter),
            limit: Some(PAGE),
            with_payload: Some(fields(names)),
            with_vectors: Some(vectors(with)),
            ..ScrollPoints::default()
        };
        Pages { client: self.client.clone(), next: Some(request) }
    }

    pub(crate) async fn count(&self, filter: Filter) -> Result<usize> {
        let request = CountPoints {
            collection_name: self.name(),
            filter: Some(filter),
            exact: Some(true),
            ..CountPoints::default()
        };
        let counted =
            self.client.read("counting points", request, |q, request| async move { q.count(request).await });
        Ok(counted.await?.result.map_or(0, |result| result.count) as usize)
    }

    pub(crate) async fn query(&self, request: QueryPoints) -> Result<Vec<ScoredPoint>> {
        let request = QueryPoints { collection_name: self.name(), ..request };
        let found = self.client.read("a search", request, |q, request| async move { q.query(request).await });
        Ok(found.await?.result)
    }
}

/// Points that are read page by page.
pub(crate) struct Pages {
    client: Client,
    next: Option<ScrollPoints>,
}

impl Pages {
    /// The next page; `None` after the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<RetrievedPoint>>> {
        let Some(request) = self.next.take() else {
            return Ok(None);
        };
        let sent = request.clone();
        let page = self.client.read("reading points", sent, |q, sent| async move { q.scroll(sent).await });
        let page = page.await?;
        self.next = page.next_page_offset.map(|offset| ScrollPoints { offset: Some(offset), ..request });
        Ok(Some(page.result))
    }
}

impl Collections {
    /// What the server says of itself.
    pub(crate) async fn server(&self) -> Result<String> {
        let said = self.client.read("which server it is", (), |q, ()| async move { q.health_check().await });
        let said = said.await?;
        Ok(format!("{} {}", said.title, said.version))
    }

    pub(crate) fn missing(&self) -> QdrantError {
        QdrantError::Missing {
            collection: self.settings.collection.clone(),
            url: self.client.url().to_owned(),
        }
    }
}
